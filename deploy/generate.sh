#!/bin/sh
# Writes made-up records to files in a folder, for a shipper to read and remove: first those of the last 7 days, then some more
# every few seconds. The seed is fixed, so the projects are always the same.
#
#   generate.sh PROGRAM... FOLDER ROWS_AT_FIRST ROWS_EACH SECONDS
#
# PROGRAM is the command that starts logweir, in two words, such as: node dist/cli.js
set -eu
program="$1 $2"
folder=$3 rows_at_first=$4 rows_each=$5 seconds=$6

# Renames a file to a name that shippers read once it is complete.
write() {
  $program generate "$@" --seed 1 >"$folder/records.part"
  mv "$folder/records.part" "$folder/$(date +%s).ndjson"
}

write --rows "$rows_at_first" --span 7d
while sleep "$seconds"; do
  write --rows "$rows_each" --span "${seconds}s"
done
