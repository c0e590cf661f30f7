#!/bin/sh
# Writes the access token that compose.yaml uses to FILE, for OWNER alone to read: LOGWEIR_TOKEN if it is set and not empty,
# else the token that FILE has, else a new one, which it prints.
#
#   token.sh FILE OWNER
set -eu
file=$1 owner=$2
umask 077

if [ -n "${LOGWEIR_TOKEN:-}" ]; then
  printf '%s\n' "$LOGWEIR_TOKEN" >"$file.part"
elif [ -s "$file" ]; then
  cp "$file" "$file.part"
else
  head -c 24 /dev/urandom | base64 | tr '+/' '-_' >"$file.part"
  echo "The access token is $(cat "$file.part")"
fi
chown "$owner" "$file.part"
# The service may be reading the file.
mv "$file.part" "$file"
echo "It is kept: docker compose exec vector cat $file"
