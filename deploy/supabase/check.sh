#!/bin/sh
# Prints what would change if logweir became the analytics service of a self-hosted Supabase, and what is wrong.
# Changes nothing, sends nothing, and prints no token. Call it in the folder of Supabase's docker-compose.yml, or name
# that folder:
#
#   sh check.sh [FOLDER]
#
# Exits with 0 if nothing is wrong, with 1 if something is, with 2 if it was called wrongly.
set -u

faults=0
wrong() { faults=$((faults + 1)); echo "wrong:   $*"; }
warn() { echo "warning: $*"; }
change() { echo "change:  $*"; }
fine() { echo "fine:    $*"; }

if [ "$#" -gt 1 ] || [ "${1-}" = --help ]; then
  echo 'usage: sh check.sh [FOLDER]' >&2
  exit 2
fi
cd -- "${1-.}" || exit 2

# Prints the value of a variable of .env as Compose reads it, without running anything: the last assignment counts;
# quotes around it, and a comment after an unquoted value, are dropped.
value() {
  [ -r .env ] || return 0
  tr -d '\r' <.env |
    sed -n -e 's/^[[:space:]]*//' -e 's/^export[[:space:]]*//' -e "s/^$1[[:space:]]*=[[:space:]]*//p" | tail -n 1 |
    sed -e "s/^'\([^']*\)'.*/\1/;t" -e 's/^"\([^"]*\)".*/\1/;t' \
      -e 's/[[:space:]][[:space:]]*#.*//' -e 's/[[:space:]]*$//'
}

# Prints the lines of a service of a Compose file that is indented by two blanks, without comments.
service() {
  tr -d '\r' <"$1" | awk -v name="$2" '
    /^[^ #]/ { in_services = /^services:/; inside = 0 }
    in_services && /^  [^ #]/ { inside = $0 ~ "^  [\"\047]?" name "[\"\047]?:"; next }
    inside && !/^ *#/ { print }'
}

has_service() {
  [ -r "$1" ] && [ -n "$(service "$1" "$2")" ]
}

# Whether a word is in a list with blanks between.
has_word() {
  case " $1 " in *" $2 "*) ;; *) return 1 ;; esac
}

# Prints the names of the services of a Compose file that wait for analytics.
waiting() {
  tr -d '\r' <"$1" | awk '
    /^[^ #]/ { in_services = /^services:/ }
    in_services && /^  [^ #]/ { name = $1; sub(/:.*/, "", name); waits = 0 }
    in_services && /^    [^ #]/ { waits = /^    depends_on:/ }
    waits && /(^ +|[^a-z-])analytics([^a-z-]|$)/ { print name }' | sort -u | tr '\n' ' '
}

other='choose another, for example from: openssl rand -hex 32'

check_token() {
  token=$(value "$1")
  case "$token" in
  '') no_token "$1" ;;
  your-super-secret-and-long-logflare-key*) wrong "$1 has a value that Supabase publishes: $other" ;;
  *[[:space:]]*) wrong "$1 has white space in it: $other" ;;
  *'$'*) warn "$1 has a \$ in it, which Compose may replace: $other" ;;
  *) if [ "${#token}" -lt 16 ]; then warn "$1 has fewer than 16 characters: $other"; else fine "$1 is set"; fi ;;
  esac
}

no_token() {
  if [ -n "$(value LOGFLARE_API_KEY)" ]; then
    wrong "$1 is not set in .env: add it, with the value of LOGFLARE_API_KEY"
  else
    wrong "$1 is not set in .env: add it, for example from: openssl rand -hex 32"
  fi
}

check_vector() {
  file=volumes/logs/vector.yml
  if [ ! -f "$file" ]; then
    wrong "there is no $file: copy it from Supabase's repository, folder docker"
    return
  fi
  sinks=$(grep -c '^[^#]*//analytics:4000/[^ ]*source_name=' "$file")
  if [ "$sinks" -eq 0 ]; then
    wrong "$file has no sink at http://analytics:4000: copy it from Supabase's repository, folder docker"
  else
    fine "$file has $sinks sinks for analytics"
  fi
  if grep -q '^[^#]*api_key=' "$file"; then
    warn "$file has the token in URLs (api_key=): logweir accepts that, Supabase's newer file has a header"
  fi
}

check_published() {
  if grep -q '^[^#]*//analytics:4000' volumes/api/kong.yml 2>/dev/null; then
    warn 'volumes/api/kong.yml has a route to analytics: whoever reaches Kong can try tokens; remove it'
  fi
  if listens_4000; then
    warn 'a program listens on port 4000 of this machine; the overlay publishes no port, so it is not in the way'
  fi
}

# Linux lists listening sockets (state 0A) with hexadecimal ports; 4000 is 0FA0.
listens_4000() {
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$2 ~ /:0FA0$/ && $4 == "0A" { found = 1 } END { exit !found }'
}

check_image() {
  image=$(value LOGWEIR_IMAGE)
  image=${image:-logweir:0.1.0}
  if ! docker version >/dev/null 2>&1; then
    warn "Docker does not answer, so the image is not checked: does it run, and may $(id -un) use it?"
  elif docker image inspect "$image" >/dev/null 2>&1; then
    fine "the image $image is here"
  else
    wrong "the image $image is not here: pull it, or call in a clone of logweir: docker build --tag $image ."
  fi
}

check_compose() {
  compose=$(docker compose version --short 2>/dev/null | sed 's/^v//')
  if is_at_least "$1" "$compose"; then
    fine "Docker Compose is $compose"
  else
    wrong "Docker Compose is ${compose:-missing}, and $overlay needs $1"
  fi
}

# Compares versions of up to three numbers: whether the second is the first or a later one.
is_at_least() {
  awk -v wanted="$1" -v found="$2" 'BEGIN {
    split(wanted, w, /[.+-]/)
    split(found, f, /[.+-]/)
    for (i = 1; i <= 3; i++) if (f[i] + 0 != w[i] + 0) exit f[i] + 0 < w[i] + 0
  }'
}

say_changes() {
  memory=$(value LOGWEIR_CONTAINER_MEMORY)
  change "analytics runs ${image:-logweir:0.1.0} instead of $(service "$1" analytics | sed -n 's/^    image: *//p')"
  change 'its rows are in the volume logweir, no longer in the schema _analytics of PostgreSQL, which stays as it is'
  change "it may take ${memory:-512m} of memory, and does not wait for the database"
  if service "$1" analytics | grep -q '^    ports:'; then
    change "port 4000 is no longer published, which $1 does"
  fi
  names=$(waiting docker-compose.yml)
  [ -z "$names" ] || change "these wait for logweir instead: $names"
}

if [ ! -f docker-compose.yml ]; then
  echo "$(pwd) has no docker-compose.yml: call this in the folder docker of Supabase" >&2
  exit 2
fi
[ -r .env ] || wrong 'there is no .env that can be read: copy .env.example'
if has_service docker-compose.yml analytics; then
  theirs=docker-compose.yml overlay=docker-compose.logweir-older.yml
else
  theirs=docker-compose.logs.yml overlay=docker-compose.logweir.yml
fi
if ! has_service "$theirs" analytics; then
  wrong "neither docker-compose.yml nor docker-compose.logs.yml has a service analytics: update Supabase's files"
elif [ ! -f "$overlay" ]; then
  wrong "there is no $overlay: copy it from deploy/supabase of logweir to this folder"
else
  fine "$overlay is the file for this stack"
fi
check_token LOGFLARE_PUBLIC_ACCESS_TOKEN
check_token LOGFLARE_PRIVATE_ACCESS_TOKEN
public=$(value LOGFLARE_PUBLIC_ACCESS_TOKEN)
if [ -n "$public" ] && [ "$public" = "$(value LOGFLARE_PRIVATE_ACCESS_TOKEN)" ]; then
  warn 'both tokens are equal: Vector could read logs with its own'
fi
# COMPOSE_FILE is Compose's own variable, CONFIG that of Supabase's run.sh.
files=$(value COMPOSE_FILE | tr ':' ' ')
if has_word "$files" docker-compose.logs.yml && has_word "$files" docker-compose.logweir.yml; then
  wrong 'COMPOSE_FILE in .env names docker-compose.logs.yml and docker-compose.logweir.yml: remove the first'
fi
config=$(value CONFIG)
if has_word "$config" logs && has_word "$config" logweir; then
  wrong 'CONFIG in .env names logs and logweir: call sh run.sh config remove logs'
fi
socket=$(value DOCKER_SOCKET_LOCATION)
if [ -z "$socket" ]; then
  wrong 'DOCKER_SOCKET_LOCATION is not set in .env: set it to the socket of Docker, as /var/run/docker.sock'
elif [ ! -S "$socket" ]; then
  wrong "DOCKER_SOCKET_LOCATION is $socket in .env, which is no socket"
fi
check_vector
check_published
check_image
check_compose 2.24.4
if has_service "$theirs" analytics; then say_changes "$theirs"; fi

echo
if [ "$faults" -gt 0 ]; then
  echo "$faults wrong. Nothing was changed."
  exit 1
fi
echo "Nothing is wrong, and nothing was changed. To start: docker compose -f docker-compose.yml -f $overlay up -d"
