import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { endProcess } from './end-process'
import { listBelow } from './list-below'

/**
 * A stand-in for gcloud, because the tests have no Google Cloud. It knows only the commands and options of
 * `gcloud alpha compute tpus queued-resources` that its reference documents. A queued resource is a directory, and its
 * virtual machines are processes that run the startup script. What gcloud itself would do is not tested.
 */
const program = `#!/bin/sh
[ "$1 $2 $3 $4" = "alpha compute tpus queued-resources" ] || { echo "stand-in: unknown command: $*" >&2; exit 2; }
verb=$5; shift 5
for word; do printf '%s\\n' "$word"; done > "$GCLOUD_STATE/last-$verb"
echo "$verb" >> "$GCLOUD_STATE/calls"
name= nodes=1 script= force= zone= project=
case $verb in create|delete) name=$1; shift ;; esac
for word; do
  case "$verb $word" in
  *" --project="*) project=\${word#*=} ;;
  *" --zone="*) zone=\${word#*=} ;;
  *" --quiet") ;;
  "list --filter=name~"*) name=\${word#--filter=name~}; name=\${name%?} ;;
  "list --format=value(name)") ;;
  "delete --force") force=yes ;;
  "create --node-id="*|"create --node-prefix="*) ;;
  "create --node-count="*) nodes=\${word#*=} ;;
  "create --metadata-from-file=startup-script="*) script=\${word#*=*=} ;;
  "create --accelerator-type="*|"create --runtime-version="*|"create --network="*|"create --labels="*) ;;
  "create --reserved"|"create --best-effort") ;;
  *) echo "stand-in: unrecognized arguments: $word" >&2; exit 2 ;;
  esac
done
[ -n "$project" ] && [ -n "$zone" ] || { echo "stand-in: no project or zone" >&2; exit 2; }
if [ -e "$GCLOUD_STATE/fail-$verb" ]; then rm "$GCLOUD_STATE/fail-$verb"; echo "stand-in: $verb failed" >&2; exit 1; fi
resource=$GCLOUD_STATE/resources/$name
case $verb in
create)
  mkdir "$resource" || { echo "stand-in: ALREADY_EXISTS" >&2; exit 1; }
  i=0
  while [ $i -lt "$nodes" ]; do
    NODE_INDEX=$i setsid sh "$script" </dev/null >"$resource/log-$i" 2>&1 9>&- &
    echo $! > "$resource/$i"
    i=$((i + 1))
  done
  if [ -e "$GCLOUD_STATE/hang-create" ]; then rm "$GCLOUD_STATE/hang-create"; echo yes > "$GCLOUD_STATE/hangs"; exec sleep 600; fi ;;
list) [ ! -d "$resource" ] || echo "projects/$project/locations/$zone/queuedResources/$name" ;;
delete)
  [ -n "$force" ] || { echo "stand-in: the queued resource is ACTIVE" >&2; exit 1; }
  for signal in $(cat "$GCLOUD_STATE/signals"); do
    for file in "$resource"/[0-9]*; do kill -$signal "$(cat "$file")" 2>/dev/null; done
    i=0
    while [ $i -lt 100 ] && kill -0 $(cat "$resource"/[0-9]*) 2>/dev/null; do sleep 0.1; i=$((i + 1)); done
  done
  rm -r "$resource" ;;
*) echo "stand-in: unknown command: $verb" >&2; exit 2 ;;
esac
`

/** The script that gpuq delivers. */
export const queuedResourcesScript = join(
  import.meta.dirname,
  '../../deploy/provisioners/queued-resources.sh',
)

/** The state of the {@link program} of one test. */
export class GcloudStandIn {
  private constructor(
    private readonly directory: string,
    /** The environment of gpuq's script. */
    readonly variables: Record<string, string>,
  ) {}

  /**
   * Writes the stand-in into a new directory.
   * @param startup the startup script of the nodes, as an admin writes it. It also finds `NODE_INDEX`.
   * @param limitS the longest time of a request, in seconds.
   * @param signals what ends a machine. A worker removes its containers on INT, because they are on this machine.
   */
  static async make(
    directory: string,
    startup: string,
    { limitS = 20, signals = 'INT KILL' }: { limitS?: number; signals?: string } = {},
  ): Promise<GcloudStandIn> {
    await mkdir(join(directory, 'bin'), { recursive: true })
    await mkdir(join(directory, 'resources'))
    await writeFile(join(directory, 'bin', 'gcloud'), program)
    await chmod(join(directory, 'bin', 'gcloud'), 0o755)
    await writeFile(join(directory, 'startup.sh'), startup)
    await writeFile(join(directory, 'signals'), signals)
    return new GcloudStandIn(directory, {
      PATH: `${join(directory, 'bin')}${delimiter}${process.env.PATH}`,
      GCLOUD_STATE: directory,
      QUEUED_RESOURCES_PROJECT: 'research',
      QUEUED_RESOURCES_ZONE: 'us-central2-b',
      QUEUED_RESOURCES_ACCELERATOR_TYPE: 'v4-8',
      QUEUED_RESOURCES_RUNTIME_VERSION: 'tpu-ubuntu2204-base',
      QUEUED_RESOURCES_STARTUP_SCRIPT: join(directory, 'startup.sh'),
      QUEUED_RESOURCES_STATE_DIR: join(directory, 'state'),
      QUEUED_RESOURCES_LIMIT_S: String(limitS),
    })
  }

  /** The names of the queued resources that exist. */
  resources(): Promise<string[]> {
    return readdir(join(this.directory, 'resources'))
  }

  /** The verbs of all calls, in order. */
  async calls(): Promise<string[]> {
    return (await this.read('calls')).split('\n').filter(Boolean)
  }

  /** The arguments of the last call of a verb. */
  async argumentsOf(verb: string): Promise<string[]> {
    return (await this.read(`last-${verb}`)).split('\n').filter(Boolean)
  }

  /** A file of the stand-in; empty if it does not exist. */
  read(name: string): Promise<string> {
    return readFile(join(this.directory, name), 'utf8').catch(() => '')
  }

  /** Ends all machines. */
  async clear(): Promise<void> {
    for (const file of await listBelow(join(this.directory, 'resources'))) {
      if (/\/\d+$/.test(file)) endProcess(Number(await this.read(join('resources', file))))
    }
  }

  /** Lets the next call of a verb fail, or the next creation hang after it had its effect. */
  async next(fault: 'fail-create' | 'fail-delete' | 'fail-list' | 'hang-create'): Promise<void> {
    await writeFile(join(this.directory, fault), '')
  }
}

/** The stand-in of a lab whose nodes are queued resources. */
export function gcloudOf({ gcloud }: { gcloud: GcloudStandIn | null }): GcloudStandIn {
  if (!gcloud) throw new Error('The nodes of this lab are no queued resources.')
  return gcloud
}
