import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { TaskContainer } from './runtime'
import { askEngine, runControl } from './testing/engine-probe'
import { TaskBench } from './testing/task-bench'
import { startTestEngine, type TestEngine, variants } from './testing/test-engines'

const attack = (name: string) =>
  readFileSync(join(import.meta.dirname, 'testing/attacks', `${name}.py`), 'utf8')
const answersSchema = z.record(z.string(), z.string())

/** The bit of CAP_SYS_RESOURCE. */
const sysResource = 1n << 24n

/** The capabilities of this process, which are those of an engine on the same machine. */
async function engineCapabilities(): Promise<bigint> {
  const status = await readFile('/proc/self/status', 'utf8')
  return BigInt(`0x${/^CapBnd:\s+(\w+)$/m.exec(status)?.[1] ?? '0'}`)
}

/** On the machine's Docker, as an unwary admin would run it: root, the default capabilities and one more, no seccomp, a root one can write. */
const runUnprotected = (task: TaskContainer) =>
  runControl(task, (spec) => ({
    ...spec,
    User: '0:0',
    HostConfig: {
      ...spec.HostConfig,
      CapDrop: [],
      CapAdd: ['SYS_ADMIN'],
      SecurityOpt: ['seccomp=unconfined'],
      ReadonlyRootfs: false,
      Ulimits: [],
    },
  }))

const foundSchema = z.object({
  attempts: answersSchema,
  uid: z.number(),
  capabilities: z.array(z.string()),
  no_new_privileges: z.string(),
  cgroup_files: z.number(),
  cgroup_writable: z.array(z.string()),
  writable: z.array(z.string()),
  sockets: z.array(z.string()),
  devices: z.array(z.string()),
  setuid_programs: z.number(),
  su_runs_as: z.number(),
  descriptors: z.array(z.number()),
  foreign_processes: z.array(z.string()),
  interfaces: z.array(z.string()),
  stdin: z.string(),
})

describe.each(variants)('$product, warm: $warm', ({ product, warm }) => {
  let engine: TestEngine
  let bench: TaskBench

  beforeAll(async () => {
    engine = await startTestEngine(product)
    bench = new TaskBench({ ...engine.options, warm })
  })
  afterAll(async () => {
    await bench?.cleanUp()
    await engine?.close()
  })

  describe('system calls', () => {
    it('system calls that no job needs are refused; without the profile the kernel executes them', async () => {
      const source = attack('system-calls')
      const [ran, control] = await Promise.all([bench.run(source), bench.task(source).then(runUnprotected)])
      const answers = answersSchema.parse(JSON.parse(ran.stdout))
      const unconfined = answersSchema.parse(JSON.parse(control))

      for (const [name, answer] of Object.entries(answers)) {
        const kind =
          ['raw', 'netlink'].find((start) => name.startsWith(`socket ${start}`)) ?? name.split(' ')[0] ?? ''
        const refusals = {
          socket: 'EAFNOSUPPORT',
          netlink: 'EPROTONOSUPPORT',
          clone3: 'ENOSYS',
          '32-bit': 'killed',
        }
        const expected = refusals[kind as keyof typeof refusals] ?? 'EPERM'
        expect(`${name}: ${answer}`).toBe(`${name}: ${expected}`)
      }
      // What a host's kernel lacks is refused in the control as well and shows nothing: these may be lacking.
      const mayLack = /^socket (bluetooth|alg|tipc|xdp|vsock)$|^io_uring|^32-bit entry$/
      const shown = Object.keys(answers).filter((name) => unconfined[name] !== answers[name])
      expect(Object.keys(answers).filter((name) => !shown.includes(name) && !mayLack.test(name))).toEqual([])
    })

    it('list the network interfaces, and do not change them', async () => {
      const source = `
import socket, struct
print(socket.if_nameindex())
down = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
# RTM_NEWLINK with NLM_F_REQUEST and NLM_F_ACK: takes the first interface, lo, down.
down.send(struct.pack("=IHHII", 32, 16, 5, 1, 0) + struct.pack("=BxHiII", 0, 0, 1, 0, 1))
print(struct.unpack_from("=i", down.recv(4096), 16))`
      const ran = await bench.run(source)
      expect(ran).toMatchObject({ stderr: '', stdout: "[(1, 'lo')]\n(-1,)\n" })
    })
  })

  describe('the host', () => {
    it('cannot be reached from a container', async () => {
      const source = attack('host')
      const [ran, control] = await Promise.all([bench.run(source), bench.task(source).then(runUnprotected)])
      expect(ran.stderr).toBe('')
      const found = foundSchema.parse(JSON.parse(ran.stdout))
      const unprotected = foundSchema.parse(JSON.parse(control))

      expect(Object.entries(found.attempts).filter(([, answer]) => answer === 'done')).toEqual([])
      expect(unprotected.attempts).toMatchObject({ 'character device': 'done', 'become root': 'done' })
      expect(found.uid).toBeGreaterThan(10_000)
      expect(new Set(found.capabilities)).toEqual(new Set(['0000000000000000']))
      expect(found.no_new_privileges).toBe('1')
      expect(found.cgroup_files).toBeGreaterThan(0)
      expect(found.cgroup_writable).toEqual([])
      expect(found.writable).toEqual(['/dev/mqueue', '/dev/shm', '/tmp', '/work'])
      expect(found.sockets).toEqual([])
      const harmless = ['full', 'null', 'pts/ptmx', 'random', 'tty', 'urandom', 'zero']
      expect(found.devices).toEqual(harmless.map((name) => `/dev/${name}`))
      // The Podman of the tests has an image with nothing but Python.
      if (product === 'Docker') expect(found.setuid_programs).toBeGreaterThan(0)
      expect(found.su_runs_as).toBe(found.uid)
      expect(found.descriptors).toEqual([0, 1, 2])
      expect(found.foreign_processes).toEqual([])
      expect(found.interfaces).toEqual(['lo'])
      expect(found.stdin).toBe('')
    })

    it('gives no network, no GPU that was not allocated, and no settings of the image', async () => {
      const source = `
import os, socket
for address in ("1.1.1.1", "172.17.0.1", "169.254.169.254"):
    try:
        socket.create_connection((address, 80), timeout=2)
        print("connected")
    except OSError as error:
        print(error.strerror)
print(os.environ["NVIDIA_VISIBLE_DEVICES"], "LD_PRELOAD" in os.environ, os.environ["OWN"])
print([name for name in os.listdir("/dev") if "nvidia" in name])`
      const env = { NVIDIA_VISIBLE_DEVICES: 'all', LD_PRELOAD: '/work/evil.so', OWN: 'kept' }
      const { stdout } = await bench.run(source, { env, gpuUuids: ['GPU-sim-0'], simulated: true })
      expect(stdout).toBe(`${'Network is unreachable\n'.repeat(3)}void False kept\n[]\n`)
    })
  })

  describe('the order in which the kernel ends processes without memory', () => {
    const source = `
import os, subprocess, sys
own = "/proc/self"
paths = [own + "/oom_score_adj", own + "/oom_adj", "/proc/thread-self/oom_score_adj", "/proc/1/oom_score_adj"]
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
paths.append("/proc/%d/oom_score_adj" % child.pid)
for path in paths:
    try:
        with open(path, "w") as file: file.write("0")
    except OSError: pass
names = [own, "/proc/1", "/proc/%d" % child.pid]
print([open(name + "/oom_score_adj").read().strip() for name in names])
child.kill()`

    it('cannot be changed by a job', async () => {
      const [ran, control] = await Promise.all([
        bench.run(source),
        bench.task(source).then((task) =>
          runControl(task, (spec) => {
            const { ReadonlyPaths: _, ...HostConfig } = spec.HostConfig
            return { ...spec, HostConfig }
          }),
        ),
      ])
      expect(ran.stdout).toBe("['500', '500', '500']\n")
      // With a writable /proc the same program succeeds, unless the engine has CAP_SYS_RESOURCE: then the kernel refuses.
      const kernelRefuses = (await engineCapabilities()) & sysResource
      expect(control).toBe(kernelRefuses ? "['500', '500', '500']\n" : "['0', '0', '0']\n")
    })
  })

  describe('jobs on one node', () => {
    it('cannot see each other', async () => {
      await bench.startUntil(attack('hold-secret'), 'holding')
      const search = attack('find-secret')
      expect((await bench.run(search)).stdout).toBe('[]\n')
      // In one container, the same search finds them.
      const both = `import subprocess, sys\n${attack('hold-secret').replace('time.sleep(60)', '')}\n${search}`
      expect((await bench.run(both)).stdout).toContain("['file', 'abstract socket', 'shared memory', 'port']")
    })

    if (product === 'Docker')
      it('cannot reach each other over a network that both may use', async () => {
        const server = `
import socket, time
server = socket.create_server(("0.0.0.0", 45679))
socket.create_connection((socket.gethostbyname(socket.gethostname()), 45679)).close()
print("address", socket.gethostbyname(socket.gethostname()), "end")
time.sleep(60)`
        const container = await bench.startUntil(server, 'end', { network: 'internet' })
        const { bytes } = await askEngine('GET', `/containers/${container.id}/json`)
        const address = /"IPAddress":"([\d.]+)"/.exec(bytes.toString())?.[1]
        expect(address).toBeDefined()
        const search = `
import os, socket
print(sorted(os.listdir("/sys/class/net")))
try:
    socket.create_connection(("${address}", 45679), timeout=1)
    print("connected")
except OSError as error:
    print("not connected")`
        const { stdout } = await bench.run(search, { network: 'internet' })
        expect(stdout).toBe("['eth0', 'lo']\nnot connected\n")
        await bench.runtime.remove(container)
      })

    it('do not share the limits that Linux counts per user', async () => {
      const attacker = await bench.task(attack('descriptors'))
      await bench.startUntil(attack('descriptors'), 'holding True', { taskId: attacker.taskId })
      const victim = attack('victim')
      expect((await bench.run(victim)).stdout).toBe('descriptor sent\ninotify given\n')
      // Under the attacker's own uid, the same work fails.
      const same = await bench.run(victim, { taskId: attacker.taskId })
      expect(same.stdout).toBe('descriptor refused\ninotify refused\n')
    })
  })
})
