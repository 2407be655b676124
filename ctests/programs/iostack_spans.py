# Prints the spans of logs, one per line: layer, operation, rank, layer and operation of the parent (-
# for none), bytes, offset, collective, file; separated by tabs.
import sys

from iostack_log import LAYERS, OPERATIONS, read

for s in sorted(read(sys.argv[1:])[0], key=lambda s: s.begin):
    parent = s.parent and LAYERS[s.parent.layer] + " " + OPERATIONS[s.parent.operation]
    print(LAYERS[s.layer], OPERATIONS[s.operation], s.log.rank, parent or "-", s.bytes, s.offset,
          s.collective, s.file, sep="\t")
