#!/bin/sh
# Writes the access token for compose.yaml to FILE, readable by OWNER only: LOGWEIR_TOKEN if it is not empty, else the token in
# FILE, else a new one, which it prints.
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
# A rename, since the service may be reading the file.
mv "$file.part" "$file"
echo "It is stored: docker compose exec vector cat $file"
