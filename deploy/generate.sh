#!/bin/sh
# Writes made-up records to files of a folder, for a shipper to read and remove: those of the last 7 days once, then some more
# every few seconds. The seed is always the same, so that the projects are.
#
#   generate.sh PROGRAM... FOLDER ROWS_AT_FIRST ROWS_EACH SECONDS
#
# PROGRAM is how logweir is started, in two words, as: node dist/cli.js
set -eu
program="$1 $2"
folder=$3 rows_at_first=$4 rows_each=$5 seconds=$6

# Records appear under a name that is read when they are all there.
write() {
  $program generate "$@" --seed 1 >"$folder/records.part"
  mv "$folder/records.part" "$folder/$(date +%s).ndjson"
}

write --rows "$rows_at_first" --span 7d
while sleep "$seconds"; do
  write --rows "$rows_each" --span "${seconds}s"
done
