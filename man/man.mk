# Manual pages: one word each.
dist_man_MANS +=
