import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf, readJobNetworks, subnetOf } from '@/lib/contract/job-network'
import { PrivateEngine } from '../../testing/private-engine'
import { until } from '../../testing/until'
import type { JobNetwork, TaskContainer } from '../runtime'
import { internetBridge } from '../spec/network-spec'
import { collect } from '../testing/runtime-bench'
import { TaskBench } from '../testing/task-bench'
import { type FirewallOptions, type RunIptables, runIptables } from './internet-firewall'
import { readNameservers } from './nameservers'
import type { RunIproute } from './overlay'

const run = promisify(execFile)
const id = randomInt(16 ** 4).toString(16)
/** A machine with an engine, and the rest of the world at the other end of its cable. */
const [machine, world] = [`gpuq-${id}-m`, `gpuq-${id}-w`]
const inside = (namespace: string, program: string, ...args: string[]) =>
  run('ip', ['netns', 'exec', namespace, program, ...args])

/** Addresses of the machine: one private, and one that is public. */
const ownAddresses = ['198.18.9.1', '11.22.33.44', '10.77.0.1']
const publicAddresses = ['11.0.0.2', '198.51.99.7']
const nonPublicAddresses = [
  '10.1.2.3',
  '172.20.0.9',
  '192.168.7.7',
  '169.254.169.254',
  '100.64.0.5',
  '203.0.113.9',
]
const allowedAddress = '10.200.0.9'
/** The engine reads its name servers from the file that this process reads, too. Without one, any address does. */
const [nameserver = '10.53.53.53'] = await readNameservers()

const iproute: RunIproute = async (program, args) => (await run(program, ['-n', machine, ...args])).stdout
/** `nsenter` replaces itself with the program, so the program gets the input. */
const iptables: RunIptables = (program, args, input) =>
  runIptables('nsenter' as never, [`--net=/run/netns/${machine}`, program, ...args], input)

let engine: PrivateEngine
let bench: TaskBench
const listeners: ChildProcess[] = []

/** Says who it is to whoever connects, on every address of its namespace; and answers queries on some. */
const listener = (name: string, names: readonly string[]) => `
import socket, threading
def serve(port):
    server = socket.create_server(("", port))
    while True:
        peer, _ = server.accept()
        try: peer.sendall(b"${name}")
        except OSError: pass
        peer.close()
for port in (80, 2375): threading.Thread(target=serve, args=(port,), daemon=True).start()
def answer(address):
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); names.bind((address, 53))
    while True:
        query, asker = names.recvfrom(512)
        question = query[12:query.index(0, 12) + 5]
        header = query[:2] + bytes.fromhex("81800001000100000000")
        names.sendto(header + question + bytes.fromhex("c00c000100010000003c00040b000002"), asker)
for address in ${JSON.stringify(names)}: threading.Thread(target=answer, args=(address,), daemon=True).start()
print("listening", flush=True)
threading.Event().wait()`

/** Prints the addresses that answered, as ADDRESS=NAME. Ranges that drop packets answer nothing. */
const findReachable = (addresses: readonly string[], port = 80) => `
import socket, threading
found = []
def ask(address):
    try:
        with socket.create_connection((address, ${port}), 3) as s: found.append(address + "=" + s.recv(99).decode())
    except OSError: pass
threads = [threading.Thread(target=ask, args=(a,)) for a in ${JSON.stringify(addresses)}]
[t.start() for t in threads]; [t.join() for t in threads]
print(" ".join(sorted(found)) or "none")`

async function listen(namespace: string, name: string, names: readonly string[] = []): Promise<void> {
  const child = spawn('ip', ['netns', 'exec', namespace, 'python3', '-c', listener(name, names)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  listeners.push(child)
  await once(child.stdout, 'data')
}

function benchWith(changes: Partial<FirewallOptions> = {}): TaskBench {
  const firewall = {
    enabled: true,
    allowed: [],
    nameservers: async () => [nameserver],
    run: iptables,
    ...changes,
  }
  return new TaskBench({ socketPath: engine.socketPath, iproute, firewall })
}

const filter = async (program: 'iptables' | 'ip6tables' = 'iptables') =>
  (await inside(machine, program, '-S')).stdout

beforeAll(async () => {
  for (const namespace of [machine, world]) {
    await run('ip', ['netns', 'add', namespace])
    await run('ip', ['-n', namespace, 'link', 'set', 'lo', 'up'])
  }
  await run('ip', ['link', 'add', 'cable', 'netns', machine, 'type', 'veth', 'peer', 'cable', 'netns', world])
  for (const namespace of [machine, world]) await run('ip', ['-n', namespace, 'link', 'set', 'cable', 'up'])
  for (const address of ownAddresses) await iproute('ip', ['address', 'add', `${address}/24`, 'dev', 'cable'])
  await run('ip', ['-n', world, 'address', 'add', '198.18.9.2/24', 'dev', 'cable'])
  for (const address of [...publicAddresses, ...nonPublicAddresses, allowedAddress, nameserver])
    await run('ip', ['-n', world, 'address', 'add', `${address}/32`, 'dev', 'lo'])
  await iproute('ip', ['route', 'add', 'default', 'via', '198.18.9.2'])
  await run('ip', ['-n', world, 'route', 'add', 'default', 'via', '198.18.9.1'])
  await inside(machine, 'sysctl', '-qw', 'net.ipv4.ip_forward=1')
  await listen(machine, 'machine')
  await listen(world, 'world', [nameserver, '10.1.2.3'])
  engine = await PrivateEngine.start({ liveRestore: true, namespace: machine })
  bench = benchWith()
})

afterAll(async () => {
  await bench.cleanUp()
  await engine.remove()
  for (const child of listeners) child.kill()
  for (const namespace of [machine, world]) await run('ip', ['netns', 'delete', namespace])
})

const everywhere = [...ownAddresses, ...publicAddresses, ...nonPublicAddresses, allowedAddress, nameserver]
const onlyPublic = publicAddresses.map((address) => `${address}=world`).sort()

async function ask(source: string, changes: Partial<TaskContainer> = {}, from = bench): Promise<string[]> {
  const { stdout } = await from.run(source, { network: 'internet', ...changes })
  return stdout.trim().split(' ')
}

describe('a job with internet access', () => {
  it('reaches public addresses, but not the host or private addresses', async () => {
    // What is asked here answers, if it is reached.
    const { stdout } = await inside(machine, 'python3', '-c', findReachable(everywhere))
    expect(stdout.trim().split(' ')).toHaveLength(everywhere.length)
    expect(await ask(findReachable(everywhere))).toEqual(onlyPublic)
    expect(await ask(findReachable(everywhere, 2375))).toEqual(onlyPublic)
  })

  it('reaches all addresses without the firewall', async () => {
    const open = benchWith({ enabled: false })
    await inside(machine, 'iptables', '-F')
    await inside(machine, 'iptables', '-P', 'FORWARD', 'ACCEPT')
    expect(await ask(findReachable(everywhere), {}, open)).toHaveLength(everywhere.length)
  })

  it('cannot reach them after the rules were flushed, in the next job and in running ones', async () => {
    await inside(machine, 'iptables', '-F')
    await inside(machine, 'ip6tables', '-F')
    expect(await ask(findReachable(everywhere))).toEqual(onlyPublic)
    expect(await filter('ip6tables')).toContain(`-A INPUT -i ${internetBridge} -j GPUQ-JOBS`)
    const ending = new AbortController()
    const keeping = bench.runtime.internet.keepRules(ending.signal)
    await inside(machine, 'iptables', '-F')
    const before = Date.now()
    await until('the rules are back', async () => (await filter()).includes('-A GPUQ-JOBS-HOST -j DROP'))
    expect(Date.now() - before).toBeLessThan(20_000)
    ending.abort()
    await keeping
  })

  it('has one set of rules for all workers of a machine, which restore them at once', async () => {
    await inside(machine, 'iptables', '-F')
    const workers = [bench, benchWith(), benchWith()]
    const found = await Promise.all(workers.map((worker) => ask(findReachable(everywhere), {}, worker)))
    expect(found).toEqual(workers.map(() => onlyPublic))
    expect((await filter()).match(/-A INPUT -i gpuq-internet/g)).toHaveLength(1)
  })

  it('asks the name server of the host for names, and reaches it on no other port', async () => {
    const resolve = `
import socket
query = bytes.fromhex("1234010000010000000000000367707501780000010001")
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5)
s.sendto(query, ("${nameserver}", 53)); print(socket.inet_ntoa(s.recv(512)[-4:]))`
    expect(await ask(resolve)).toEqual(['11.0.0.2'])
    const throughEngine = 'import socket; print(socket.gethostbyname("gpuq.example"))'
    if ((await readNameservers()).length > 0) expect(await ask(throughEngine)).toEqual(['11.0.0.2'])
    expect(await ask(findReachable([nameserver]))).toEqual(['none'])
    const elsewhere = resolve.replace(nameserver, '10.1.2.3').replace('settimeout(5)', 'settimeout(1)')
    expect((await bench.run(elsewhere, { network: 'internet' })).stdout).toBe('')
  })

  it('reaches a private range that the admin allows, but no VXLAN port', async () => {
    const allowing = benchWith({ allowed: ['10.200.0.0/24'] })
    expect(await ask(findReachable(everywhere), {}, allowing)).toEqual(
      [...onlyPublic, `${allowedAddress}=world`].sort(),
    )
    expect(await filter()).toContain('-A GPUQ-JOBS -p udp -m udp --dport 4789 -j DROP')
  })

  it('cannot reach them as a task of a job on several nodes', async () => {
    const range = readJobNetworks('10.216.0.0/16')
    const index = randomInt(range.count)
    const { cidr: subnet, vni } = subnetOf(range, index)
    const peers = [{ address: addressOf(range, index, 0), processes: 1, machine: null }]
    const network: JobNetwork = { subnet, vni, peers, internet: true }
    const task = await bench.task(findReachable(everywhere), { jobId: randomUUID(), network })
    await inside(machine, 'iptables', '-F')
    const container = await bench.runtime.create(task)
    const { stdout } = await collect(await bench.runtime.start(container))
    expect(stdout.toString().trim().split(' ')).toEqual(onlyPublic)
    await bench.runtime.remove(container)
  })

  it('does not start if the rules cannot be created, and the error says what to do', async () => {
    const failing = (error: Error) => benchWith({ run: () => Promise.reject(error) })
    const expectRefusal = async (from: TaskBench, sentence: RegExp) => {
      await expect(ask('pass', {}, from)).rejects.toMatchObject({
        code: 'internet_unavailable',
        message: expect.stringMatching(sentence),
      })
    }
    const denied = new Error(
      'Command failed\niptables v1.8.9: Could not fetch rule set: Permission denied (you must be root)',
    )
    await expectRefusal(failing(denied), /CAP_NET_ADMIN.*GPUQ_JOB_FIREWALL=false/)
    await expectRefusal(failing(Object.assign(new Error('spawn'), { code: 'ENOENT' })), /Install it/)
    // This process is not in the namespace of the engine.
    const remote = new TaskBench({ socketPath: engine.socketPath })
    await expectRefusal(remote, /not in the engine's network namespace/)
    expect((await failing(denied).runtime.facts.info()).warnings.join()).toContain('CAP_NET_ADMIN')
  })

  it('keeps network and rules while a task uses them; the last worker removes both', async () => {
    const task = await bench.startUntil('print("up")\nimport time; time.sleep(60)', 'up', {
      network: 'internet',
    })
    await bench.runtime.internet.release()
    expect(await filter()).toContain('GPUQ-JOBS')
    await bench.runtime.remove(task)
    await benchWith().runtime.internet.release()
    expect(`${await filter()}${await filter('ip6tables')}`).not.toContain('GPUQ')
    await expect(iproute('ip', ['link', 'show', internetBridge])).rejects.toThrow()
    await bench.runtime.internet.release()
  })
})
