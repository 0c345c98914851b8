#!/bin/sh
# Starts and removes the nodes of one job as queued resources of Cloud TPU, with gcloud. For gpuq's settings:
#   GPUQ_PROVISION_UP="/path/queued-resources.sh up"
#   GPUQ_PROVISION_DOWN="/path/queued-resources.sh down"
# docs/admin-guide.md describes the variables and what the nodes need.
set -eu

fail() {
  echo "queued-resources.sh: $*" >&2
  exit 1
}

for variable in GPUQ_PROVISION_JOB GPUQ_PROVISION_NODES QUEUED_RESOURCES_PROJECT QUEUED_RESOURCES_ZONE; do
  eval "[ -n \"\${$variable:-}\" ]" || fail "$variable is not set."
done
case $GPUQ_PROVISION_JOB in
*[!0-9a-f-]*) fail "GPUQ_PROVISION_JOB is not the id of a job." ;;
esac

name=gpuq-$GPUQ_PROVISION_JOB
# The longest time that a request may take. After it, an interrupted request can have no further effect.
limit=${QUEUED_RESOURCES_LIMIT_S:-120}
state=${QUEUED_RESOURCES_STATE_DIR:-${TMPDIR:-/tmp}/gpuq-queued-resources-$(id -u)}
mkdir -p "$state"
chmod 700 "$state"
# Says how far the first command came on this machine. While it runs, it holds the lock.
progress=$state/$name
exec 9>>"$progress.lock"
flock -w $((2 * limit)) 9 || fail "another command for $name still runs."

request() {
  timeout -k 5 "$limit" gcloud alpha compute tpus queued-resources "$@" \
    --project="$QUEUED_RESOURCES_PROJECT" --zone="$QUEUED_RESOURCES_ZONE" --quiet
}

# A failed request is no answer: it ends the script, and gpuq runs it again.
exists() {
  found=$(request list --filter="name~$name\$" --format="value(name)") || fail "could not list queued resources."
  [ -n "$found" ]
}

remove() {
  if exists; then
    request delete "$name" --force || fail "could not delete $name."
    echo "deleted the queued resource $name"
  fi
}

up() {
  for variable in ACCELERATOR_TYPE RUNTIME_VERSION STARTUP_SCRIPT; do
    eval "[ -n \"\${QUEUED_RESOURCES_$variable:-}\" ]" || fail "QUEUED_RESOURCES_$variable is not set."
  done
  [ -r "$QUEUED_RESOURCES_STARTUP_SCRIPT" ] || fail "cannot read $QUEUED_RESOURCES_STARTUP_SCRIPT."
  echo started >"$progress"
  # The nodes of an earlier attempt: some were lost.
  remove
  startup=$progress.startup
  {
    printf '#!/bin/bash\nexport GPUQ_NODE_FOR_JOB=%s\n' "$GPUQ_PROVISION_JOB"
    cat "$QUEUED_RESOURCES_STARTUP_SCRIPT"
  } >"$startup"
  set -- "$name" --accelerator-type="$QUEUED_RESOURCES_ACCELERATOR_TYPE" \
    --runtime-version="$QUEUED_RESOURCES_RUNTIME_VERSION" --metadata-from-file="startup-script=$startup"
  if [ "$GPUQ_PROVISION_NODES" = 1 ]; then
    set -- "$@" --node-id="$name"
  else
    set -- "$@" --node-count="$GPUQ_PROVISION_NODES" --node-prefix="$name"
  fi
  case ${GPUQ_PROVISION_POOL:-on-demand} in
  reserved) set -- "$@" --reserved ;;
  best-effort) set -- "$@" --best-effort ;;
  esac
  # One argument per line. Nothing in them is expanded.
  set -f
  IFS='
'
  for argument in ${GPUQ_PROVISION_ARGS:-}; do set -- "$@" "$argument"; done
  unset IFS
  set +f
  request create "$@" || fail "could not create $name."
  echo created >"$progress"
  echo "requested the queued resource $name with $GPUQ_PROVISION_NODES nodes"
}

down() {
  remove
  if [ "$(cat "$progress" 2>/dev/null)" != created ]; then
    # The first command was interrupted, or it ran on another machine. A request of it may still take effect.
    sleep "$limit"
    remove
  fi
  rm -f "$progress" "$progress.startup" "$progress.lock"
}

case ${1:-} in
up | down) "$1" ;;
*) fail "usage: queued-resources.sh up | down" ;;
esac
