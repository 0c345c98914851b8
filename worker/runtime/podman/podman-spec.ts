import type { ContainerSpec } from '../spec/container-spec'

/** A file system in memory that Podman mounts for one container. */
export interface PodmanVolume {
  Name: string
  Driver: 'local'
  Label: Record<string, string>
  Options: { type: 'tmpfs'; device: 'tmpfs'; o: string }
}

interface OciMount {
  destination: string
  type: 'bind' | 'tmpfs' | 'proc'
  source: string
  options: string[]
}

const mountFlags = new Set(['rw', 'ro', 'exec', 'noexec', 'nosuid', 'nodev'])
const cpuPeriod = 100_000
const pageBytes = 4096
/**
 * Podman otherwise requests more than an engine without CAP_SYS_RESOURCE may have. Processes are limited per container
 * by the cgroup, and per user of the machine by this.
 */
const processes = 32_768
/** Truncates the log, which has one file: it must hold at least as much as Docker's two. */
const logFiles = 2

/**
 * Translates Docker's create options to those of Podman's own API. Its Docker-compatible API ignores or refuses some of
 * them without an equivalent: requests for GPUs, a read-only /proc, owners of file systems in memory, cgroup namespaces.
 * It also adds writable directories of unlimited size.
 * @param seccompPath the file with the spec's seccomp profile.
 */
export function toPodmanSpec(spec: ContainerSpec, seccompPath: string) {
  const { HostConfig: host, NetworkingConfig: networking } = spec
  const volumes = toVolumes(spec)
  return {
    volumes: volumes.map(({ volume }) => volume),
    container: {
      name: spec.name,
      image: spec.Image,
      entrypoint: spec.Entrypoint,
      command: spec.Cmd,
      user: spec.User,
      work_dir: spec.WorkingDir,
      hostname: spec.Hostname,
      env: toVariables(spec.Env),
      labels: spec.Labels,
      stop_signal: 15,
      terminal: spec.Tty,
      stdin: spec.OpenStdin,
      // An image's health check would use the job's CPU.
      healthconfig: { Test: spec.Healthcheck.Test },
      // The image's program is not an init system, whatever its name is.
      systemd: 'false',
      image_volume_mode: 'ignore',
      cap_drop: host.CapDrop,
      no_new_privileges: true,
      seccomp_profile_path: seccompPath,
      read_only_filesystem: host.ReadonlyRootfs,
      ipcns: { nsmode: host.IpcMode },
      cgroupns: { nsmode: host.CgroupnsMode },
      init: host.Init,
      ...toNetwork(host.NetworkMode, networking.EndpointsConfig),
      hostadd: host.ExtraHosts,
      ...('Dns' in host ? { dns_server: host.Dns, dns_option: host.DnsOptions } : {}),
      resource_limits: {
        memory: { limit: host.Memory, swap: host.MemorySwap },
        cpu: { quota: Math.round((host.NanoCpus / 1e9) * cpuPeriod), period: cpuPeriod },
        pids: { limit: host.PidsLimit },
      },
      oom_score_adj: host.OomScoreAdj,
      r_limits: [...host.Ulimits, { Name: 'nproc', Soft: processes, Hard: processes }].map(
        ({ Name, Soft, Hard }) => ({ type: Name, soft: Soft, hard: Hard }),
      ),
      restart_policy: host.RestartPolicy.Name,
      log_configuration: {
        driver: 'k8s-file',
        size: Number(host.LogConfig.Config['max-size']) * logFiles,
      },
      mounts: [...toMounts(host.Mounts), ...toMemoryMounts(host.Tmpfs), ...toProc(host)],
      volumes: volumes.map(({ volume, path }) => ({
        Name: volume.Name,
        Dest: path,
        // The flags of the volume's own mount do not apply to the mount in the container.
        Options: ['nocopy', ...volume.Options.o.split(',').filter((option) => mountFlags.has(option))],
      })),
      // The names of the Container Device Interface, which the NVIDIA container toolkit generates.
      devices: (host.DeviceRequests ?? [])
        .flatMap(({ DeviceIDs }) => DeviceIDs)
        .map((id) => ({ path: `nvidia.com/gpu=${id}` })),
    },
  }
}

/** Returns the seccomp profile of a spec as JSON. */
export function seccompProfileOf({ HostConfig }: ContainerSpec): string {
  const prefix = 'seccomp='
  const option = HostConfig.SecurityOpt.find((text) => text.startsWith(prefix))
  if (option === undefined) throw new Error('The container has no seccomp profile.')
  return option.slice(prefix.length)
}

function toVariables(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    list.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
}

function toNetwork(mode: string, endpoints: ContainerSpec['NetworkingConfig']['EndpointsConfig']) {
  if (mode === 'none') return { netns: { nsmode: 'none' } }
  const addresses = Object.entries(endpoints).flatMap(([name, endpoint]) =>
    name === mode && endpoint !== undefined ? [endpoint.IPAMConfig.IPv4Address] : [],
  )
  return { netns: { nsmode: 'bridge' }, networks: { [mode]: { static_ips: addresses } } }
}

function toMounts(mounts: ContainerSpec['HostConfig']['Mounts']): OciMount[] {
  return mounts.map(({ Source, Target, ReadOnly, BindOptions }) => ({
    destination: Target,
    type: 'bind',
    source: Source,
    options: [
      ReadOnly ? 'ro' : 'rw',
      'NonRecursive' in BindOptions && BindOptions.NonRecursive ? 'bind' : 'rbind',
      BindOptions.Propagation,
    ],
  }))
}

const limitsFiles = (options: string) => /(^|,)nr_inodes=/.test(options)

/** Podman's mounts in memory have no owner and no limit of files. */
function toMemoryMounts(tmpfs: Record<string, string>): OciMount[] {
  return Object.entries(tmpfs)
    .filter(([, options]) => !limitsFiles(options))
    .map(([destination, options]) => ({
      destination,
      type: 'tmpfs',
      source: 'tmpfs',
      options: options.split(','),
    }))
}

/** Volumes in memory have both. Podman takes `size` for a quota of the disk, so the size is in pages. */
function toVolumes({ name, Labels, HostConfig }: ContainerSpec): { volume: PodmanVolume; path: string }[] {
  return Object.entries(HostConfig.Tmpfs)
    .filter(([, options]) => limitsFiles(options))
    .map(([path, options], index) => ({
      path,
      volume: {
        Name: `${name}-${index}`,
        Driver: 'local',
        Label: Labels,
        Options: {
          type: 'tmpfs',
          device: 'tmpfs',
          o: withOwner(options).replace(
            /(^|,)size=(\d+)/,
            (_, comma: string, bytes: string) => `${comma}nr_blocks=${Math.ceil(Number(bytes) / pageBytes)}`,
          ),
        },
      },
    }))
}

/** Without an owner, Podman would give it the owner of the image's directory. */
const withOwner = (options: string) => (/(^|,)uid=/.test(options) ? options : `${options},uid=0,gid=0`)

/** Podman has no list of read-only paths. */
function toProc(host: ContainerSpec['HostConfig']): OciMount[] {
  if (!('ReadonlyPaths' in host) || !host.ReadonlyPaths?.includes('/proc')) return []
  const options = ['nosuid', 'noexec', 'nodev', 'ro']
  return [{ destination: '/proc', type: 'proc', source: 'proc', options }]
}
