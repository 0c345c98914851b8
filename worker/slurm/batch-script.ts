/** What identifies a Slurm job to the workers, and where they are found. */
interface BatchScript {
  rowId: string
  secret: string
  /** The directory where each worker writes its port. */
  directory: string
  nodes: number
}

/** How long a step waits for a worker of its node. A worker that is updated is back within seconds. */
const workerTimeoutS = 120
/** A connection that lasted this long was to a worker that serves the step. */
const servedS = 5

/**
 * Returns the batch script of a job. It contains nothing that a user wrote.
 *
 * The script reports to the worker of its node what Slurm gave it, waits, and ends with the exit code that the worker
 * sends. It is bash, because a bash that is running already connects without starting a program. The secret is only in
 * the text of the script, which Slurm shows to nobody but the job's owner and root: it is in no argument and in no
 * variable of the environment. On several nodes the step's script reaches bash on its standard input for that reason.
 * @throws if the directory could not be quoted.
 */
export function batchScript(script: BatchScript): string {
  if (!/^[A-Za-z0-9._/-]+$/.test(script.directory))
    throw new Error('GPUQ_SLURM_DIRECTORY may contain only letters, digits, ".", "_", "-" and "/".')
  const step = stepOf(script)
  if (script.nodes === 1) return `#!/bin/bash\n${step}\n`
  return `#!/bin/bash
srun --ntasks-per-node=1 --nodes=${script.nodes} --input=all --wait=0 --quiet bash -s <<'GPUQ_STEP' &
${step}
GPUQ_STEP
steps=$!
trap 'kill -TERM $steps 2>/dev/null' TERM
while :; do
  wait $steps
  code=$?
  kill -0 $steps 2>/dev/null || exit $code
done
`
}

/** In a function, because bash must have read all of it before anything reads the standard input. */
function stepOf({ rowId, secret, directory }: BatchScript): string {
  return `gpuq_step() {
  # A trap then ends a blocked read at once.
  set -o posix
  local port gpus group= memory= devices= code word stopped= began last=$SECONDS
  local file="${directory}/$SLURMD_NODENAME.port"
  trap '' PIPE
  gpuq_stop() {
    stopped=stop
    echo stop >&3
  }
  trap gpuq_stop TERM
  exec 3>/dev/null
  gpus=\${SLURM_STEP_GPUS-\${SLURM_JOB_GPUS-}}
  while IFS= read -r word; do
    case $word in
      0::/*) group=\${word#0::} ;;
      *:memory:/*) memory=\${word#*:memory:} ;;
      *:devices:*/job_*) devices=limited ;;
    esac
  done < /proc/self/cgroup
  # With cgroup v1, an engine starts no container below a job whose devices are limited.
  [ -z "$memory" ] || [ -n "$devices" ] || group=$memory
  while [ $((SECONDS - last)) -lt ${workerTimeoutS} ]; do
    { read -r port < "$file" && command exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || { sleep 1; continue; }
    printf 'gpuq 1 ${secret} ${rowId} %s %s %s %s %s %s %s\\n' "$SLURM_JOB_ID" "\${SLURM_RESTART_COUNT:-0}" "\${SLURM_PROCID:-0}" \\
      "\${SLURM_CPUS_ON_NODE:-1}" "\${SLURM_MEM_PER_NODE:-0}" "\${gpus:--}" "\${group:-/}" 2>/dev/null >&3
    began=$SECONDS
    [ -z "$stopped" ] || echo stop 2>/dev/null >&3
    while :; do
      if read -r -u 3 word code; then
        case $word in
          say) echo "gpuq: $code" ;;
          exit) exit $code ;;
        esac
      elif [ $? -lt 128 ]; then
        break
      fi
    done
    # A worker has served it until now. It may have been suspended meanwhile.
    [ $((SECONDS - began)) -lt ${servedS} ] || last=$SECONDS
    sleep 1
  done
  echo "gpuq: no worker of gpuq serves $SLURMD_NODENAME" >&2
  exit 75
}
gpuq_step`
}
