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

vector=volumes/logs/vector.yml
copy_vector="copy it from Supabase's repository, folder docker"

# Prints a line for each sink of Vector that names a source of the logs: the sink's name and its address.
sinks() {
  tr -d '\r' <"$vector" | awk '
    BEGIN { name = "without_name" }
    /^  [^ #]/ { name = $1; gsub(/["\047:]/, "", name) }
    !/^ *#/ && match($0, /[ {,]["\047]?uri["\047]?: *["\047]?[^"\047 ,]+/) {
      address = substr($0, RSTART, RLENGTH)
      sub(/^.["\047]?uri["\047]?: *["\047]?/, "", address)
      if (address ~ /[?&]source(_name)?=/) print name, address
    }'
}

# Reads every address: a sink may send to analytics itself, through the gateway, or elsewhere.
check_vector() {
  if [ ! -f "$vector" ]; then
    wrong "there is no $vector: $copy_vector"
    return
  fi
  direct=0
  through=
  while read -r sink address; do
    case "$address" in
    '') ;;
    http://analytics:4000/* | http://supabase-analytics:4000/*) direct=$((direct + 1)) ;;
    *://*/analytics/v1/*) through="$through $sink" && check_through_gateway "$sink" "$address" ;;
    *) check_elsewhere "$sink" "${address%%\?*}" ;;
    esac
  done <<END
$(sinks)
END
  if [ "$direct" -eq 1 ]; then
    fine "$vector has 1 sink for analytics"
  elif [ "$direct" -gt 1 ]; then
    fine "$vector has $direct sinks for analytics"
  elif [ -z "$through" ]; then
    wrong "$vector has no sink at http://analytics:4000: $copy_vector"
  fi
  if grep -q '^[^#]*api_key=' "$vector"; then
    warn "$vector has the token in URLs (api_key=): logweir accepts that, Supabase's newer file has a header"
  fi
  if [ "$gateway" = Envoy ] && ! grep -q '^[^#]*supabase-envoy' "$vector"; then
    wrong "$vector has no route for supabase-envoy, so the gateway's logs would not arrive: $copy_vector"
  fi
}

# Stacks from before February 2026 send the logs of Postgres through Kong.
check_through_gateway() {
  direct_address="http://analytics:4000/${2#*/analytics/v1/}"
  if has_route; then
    warn "the sink $1 in $vector sends through $gateway: change its uri to ${direct_address%%&*}"
  else
    wrong "the sink $1 in $vector sends through $gateway, which has no route to analytics, so its logs" \
      "would be lost: change its uri to ${direct_address%%&*}"
  fi
}

# A host with a dot is another service, to which an owner may send on purpose.
check_elsewhere() {
  host=${2#*://}
  case "${host%%/*}" in
  *.*) warn "the sink $1 in $vector sends to $2, so its logs do not arrive in logweir" ;;
  *) wrong "the sink $1 in $vector sends to $2, not to http://analytics:4000, so its logs would be lost" ;;
  esac
}

# Prints the gateway of the stack. Envoy is the default since August 2026, and was an overlay before; Kong is now one.
gateway() {
  if names_overlay kong; then
    echo Kong
  elif names_overlay envoy || has_service docker-compose.yml api-gw; then
    echo Envoy
  else
    echo Kong
  fi
}

# Whether .env names an overlay of Supabase, for Compose or for run.sh.
names_overlay() {
  has_word "$files" "docker-compose.$1.yml" || has_word "$config" "$1"
}

# Whether the gateway has a route to analytics.
has_route() {
  case "$gateway" in
  Kong) grep -q '^[^#]*//analytics:4000' volumes/api/kong.yml 2>/dev/null ;;
  Envoy) cat volumes/api/envoy/lds*.yaml* 2>/dev/null | grep -q '^[^#]*cluster: *["'\'']*analytics' ;;
  esac
}

check_published() {
  if has_route && [ -n "$through" ]; then
    warn "$gateway has a route to analytics: whoever reaches $gateway can try tokens; it also carries the logs of" \
      "${through# }, so change their uri first, restart vector, and then remove the route"
  elif has_route && [ "$gateway" = Kong ]; then
    warn 'volumes/api/kong.yml has a route to analytics: whoever reaches Kong can try tokens; remove it'
  elif has_route; then
    warn "$gateway has a route to analytics: whoever reaches $gateway can try tokens; remove it"
  fi
  if listens_4000; then
    warn 'a program listens on port 4000 of this machine; the overlay publishes no port, so it is not in the way'
  fi
}

# Linux lists listening sockets (state 0A) with hexadecimal ports; 4000 is 0FA0.
listens_4000() {
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$2 ~ /:0FA0$/ && $4 == "0A" { found = 1 } END { exit !found }'
}

# COMPOSE_FILE is Compose's own variable, CONFIG that of Supabase's run.sh. A command that names no file takes them.
check_named_files() {
  if has_word "$files" docker-compose.logs.yml && has_word "$files" docker-compose.logweir.yml; then
    wrong 'COMPOSE_FILE in .env names docker-compose.logs.yml and docker-compose.logweir.yml: remove the first'
  elif has_word "$files" docker-compose.logs.yml && [ "$overlay" = docker-compose.logweir.yml ]; then
    wrong 'COMPOSE_FILE in .env names docker-compose.logs.yml, so a command without -f would start Logflare again:' \
      'name docker-compose.logweir.yml in its place'
  elif [ -n "$files" ] && ! has_word "$files" "$overlay"; then
    warn "COMPOSE_FILE in .env does not name $overlay, so a command without -f does not know logweir: add it"
  fi
  if has_word "$config" logs && has_word "$config" logweir; then
    wrong 'CONFIG in .env names logs and logweir: call sh run.sh config remove logs'
  elif has_word "$config" logs; then
    wrong 'CONFIG in .env names logs, so run.sh would start Logflare again:' \
      "call sh run.sh config remove logs, and sh run.sh config add $override"
  elif [ -n "$config" ] && ! has_word "$config" "$override"; then
    warn "CONFIG in .env does not name $override, so run.sh does not know logweir: call sh run.sh config add $override"
  fi
}

# Prints the command that starts the stack with all files that .env names: without them, others of its optional files,
# such as that of another PostgreSQL, would be dropped.
start_command() {
  named=
  for file in ${files:-docker-compose.yml}; do named="$named -f $file"; done
  if has_word "$config" "$override"; then
    echo 'sh run.sh start'
  elif [ -n "$config" ]; then
    echo "sh run.sh config add $override, then sh run.sh start"
  elif has_word "$files" "$overlay"; then
    echo 'docker compose up -d'
  else
    echo "docker compose$named -f $overlay up -d"
  fi
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
separator=$(value COMPOSE_PATH_SEPARATOR)
files=$(value COMPOSE_FILE | tr "${separator:-:}" '\n' | sed 's,^\./,,' | tr '\n' ' ')
files=${files% }
config=$(value CONFIG)
gateway=$(gateway)
if has_service docker-compose.yml analytics; then
  theirs=docker-compose.yml overlay=docker-compose.logweir-older.yml
else
  theirs=docker-compose.logs.yml overlay=docker-compose.logweir.yml
fi
# The name of the overlay for run.sh.
override=${overlay#docker-compose.}
override=${override%.yml}
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
check_named_files
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
echo "Nothing is wrong, and nothing was changed. To start: $(start_command)"
