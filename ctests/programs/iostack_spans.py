# Prints the spans of logs, a line each: layer, operation, rank, layer and operation of the parent (- for
# none), bytes, offset, collective, file; with a tab between.
import sys

from iostack_log import LAYERS, OPERATIONS, read

for s in sorted(read(sys.argv[1:])[0], key=lambda s: s.begin):
    parent = s.parent and LAYERS[s.parent.layer] + " " + OPERATIONS[s.parent.operation]
    print(LAYERS[s.layer], OPERATIONS[s.operation], s.log.rank, parent or "-", s.bytes, s.offset,
          s.collective, s.file, sep="\t")
