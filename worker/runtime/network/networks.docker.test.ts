import { execFile } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { addressOf, readJobNetworks, subnetOf } from '@/lib/contract/job-network'
import { until } from '../../testing/until'
import type { ContainerRef, JobNetwork, TaskContainer } from '../runtime'
import { networkName } from '../spec/network-spec'
import { collect } from '../testing/runtime-bench'
import { TaskBench } from '../testing/task-bench'

const run = promisify(execFile)
const range = readJobNetworks('10.214.0.0/16')
const bench = new TaskBench()
afterAll(() => bench.cleanUp())

afterEach(async () => {
  for (const container of await bench.runtime.list(bench.nodeId)) await bench.runtime.remove(container)
  expect(await bench.runtime.listNetworks(bench.nodeId)).toEqual([])
})

function networkOf(index: number, ranks: number, internet = false): JobNetwork {
  const { cidr: subnet, vni } = subnetOf(range, index)
  const peers = Array.from({ length: ranks }, (_, rank) => ({
    address: addressOf(range, index, rank),
    processes: 1,
    machine: null,
  }))
  return { subnet, vni, peers, internet }
}

/** The tasks of one attempt, not created yet. */
function tasksOf(network: JobNetwork, source: string): Promise<TaskContainer[]> {
  const jobId = randomUUID()
  return Promise.all(network.peers.map((_, rank) => bench.task(source, { jobId, rank, network })))
}

let nextIndex = randomInt(range.count)
const freshIndex = () => nextIndex++ % range.count

/** Each rank listens and says its name to whoever comes; and asks all others for theirs. */
const greeting = `
import os, socket, threading, time
own = "rank-" + os.environ["NODE_RANK"]
server = socket.create_server(("", 7000))
def greet():
    while True:
        peer, _ = server.accept()
        peer.sendall(own.encode()); peer.close()
threading.Thread(target=greet, daemon=True).start()
def ask(name):
    for _ in range(100):
        try:
            with socket.create_connection((name, 7000), 2) as s: return s.recv(99).decode()
        except OSError: time.sleep(0.1)
others = ["rank-%d" % r for r in range(int(os.environ["NNODES"]))]
print(socket.gethostname(), [ask(name) for name in others], os.environ["MASTER_ADDR"], flush=True)
time.sleep(60)`

describe('the network of an attempt', () => {
  it('lets its tasks reach each other by name when all create it at the same time', async () => {
    const network = networkOf(freshIndex(), 4)
    const tasks = await tasksOf(network, greeting)
    const containers = await Promise.all(tasks.map((task) => bench.runtime.create(task)))
    expect(await bench.runtime.listNetworks(bench.nodeId)).toHaveLength(1)
    const all = ['rank-0', 'rank-1', 'rank-2', 'rank-3'].map((name) => `'${name}'`).join(', ')
    const printed = containers.map((container, rank) => firstLine(container, `rank-${rank}`))
    expect(await Promise.all(printed)).toEqual(
      containers.map((_, rank) => `rank-${rank} [${all}] ${network.peers[0]?.address}`),
    )
    // The last one removes it.
    await Promise.all(containers.map((container) => bench.runtime.remove(container)))
    expect(await bench.runtime.listNetworks(bench.nodeId)).toEqual([])
  })

  it('is isolated from other jobs, from jobs with internet access and from the host, in both directions', async () => {
    const [one, other] = [networkOf(freshIndex(), 1), networkOf(freshIndex(), 1)]
    const inside = `${one.peers[0]?.address}:7000`
    const host = createServer((socket) => socket.end('rank-host')).listen(0, '0.0.0.0')
    await once(host, 'listening')
    const { port } = host.address() as AddressInfo
    const [target = never(), attacker = never()] = [
      ...(await tasksOf(one, greeting)),
      ...(await tasksOf(
        other,
        findReachable([inside, ...hostAddresses(other).map((address) => `${address}:${port}`)]),
      )),
    ]
    const victim = await bench.runtime.create(target)
    expect(await firstLine(victim, 'rank-0')).toContain("['rank-0']")
    const container = await bench.runtime.create(attacker)
    const { stdout } = await collect(await bench.runtime.start(container))
    expect(stdout.toString()).toBe('none\n')
    const online = await bench.run(findReachable([inside]), { network: 'internet' })
    expect(online.stdout).toBe('none\n')
    expect((await run('python3', ['-c', findReachable([inside])])).stdout).toBe('none\n')
    // The same search finds the server at an address that is reachable.
    expect((await run('python3', ['-c', findReachable([`127.0.0.1:${port}`], 60)])).stdout).toContain(
      '127.0.0.1',
    )
    host.close()
  })

  it('resolves names without other servers', async () => {
    const network = networkOf(freshIndex(), 1)
    const ask =
      'import socket\ntry: print(socket.getaddrinfo("example.com", 80))\nexcept OSError: print("no")'
    const [task = never()] = await tasksOf(network, ask)
    const container = await bench.runtime.create(task)
    const { stdout } = await collect(await bench.runtime.start(container))
    expect(stdout.toString()).toBe('no\n')
  })

  it('is kept while it has a task, and removed if its worker ended before it had one', async () => {
    const network = networkOf(freshIndex(), 2)
    const tasks = await tasksOf(network, 'import time; time.sleep(60)')
    const [first, second] = await Promise.all(tasks.map((task) => bench.runtime.create(task)))
    if (first) await bench.runtime.remove(first)
    const [left = never()] = await bench.runtime.listNetworks(bench.nodeId)
    expect(left).toMatchObject({ jobId: tasks[0]?.jobId, attempt: 1 })
    await bench.runtime.removeNetwork(left)
    expect(await bench.runtime.listNetworks(bench.nodeId)).toEqual([left])
    if (second) await bench.runtime.remove(second)
    await bench.runtime.removeNetwork(left)
  })

  it('reuses the address range of an attempt that has ended', async () => {
    const network = networkOf(freshIndex(), 1)
    const [before = never()] = await tasksOf(network, 'pass')
    const [after = never()] = await tasksOf(network, 'print("here")')
    const old = await bench.runtime.create(before)
    const replaced = bench.runtime.create(after)
    await bench.runtime.remove(old)
    const { stdout } = await collect(await bench.runtime.start(await replaced))
    expect(stdout.toString()).toBe('here\n')
  })

  it('says which range to change if another program uses it', async () => {
    const network = networkOf(freshIndex(), 1)
    const name = `gpuq-test-${randomUUID()}`
    await run('docker', ['network', 'create', '--subnet', network.subnet, name])
    try {
      const [task = never()] = await tasksOf(network, 'pass')
      await expect(bench.runtime.create(task)).rejects.toMatchObject({
        code: 'engine_error',
        message: expect.stringContaining('GPUQ_JOB_NETWORKS'),
      })
      expect(await bench.runtime.listNetworks(bench.nodeId)).toEqual([])
      expect(networkName(task)).not.toBe(name)
    } finally {
      await run('docker', ['network', 'rm', name])
    }
  })

  it('exists beside internet access if the environment grants it', async () => {
    const network = networkOf(freshIndex(), 2, true)
    const tasks = await tasksOf(network, greeting)
    const containers = await Promise.all(tasks.map((task) => bench.runtime.create(task)))
    const printed = containers.map((container, rank) => firstLine(container, `rank-${rank}`))
    for (const line of await Promise.all(printed)) expect(line).toContain("['rank-0', 'rank-1']")
    const [{ id } = never()] = containers
    const { stdout } = await run('docker', ['inspect', '-f', '{{len .NetworkSettings.Networks}}', id])
    expect(stdout.trim()).toBe('2')
  })
})

function never(): never {
  throw new Error('there is none')
}

/** The host's own addresses, and where it would be, had it one in the network. */
function hostAddresses({ subnet }: JobNetwork): string[] {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  const gateway = subnet.replace(/(\d+)\/28$/, (_, last) => String(Number(last) + 1))
  return [
    gateway,
    ...own.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  ]
}

/** Searches for the greeting instead of an open port, because a proxy of the machine may accept every address. */
const findReachable = (endpoints: string[], seconds = 2) => `
import socket
found = []
for endpoint in ${JSON.stringify(endpoints)}:
    address, port = endpoint.split(":")
    try:
        with socket.create_connection((address, int(port)), ${seconds}) as s:
            if s.recv(99).startswith(b"rank-"): found.append(endpoint)
    except OSError: pass
print(found or "none")`

async function firstLine(container: ContainerRef, name: string): Promise<string> {
  const output = await bench.runtime.start(container)
  let printed = ''
  const read = async () => {
    for await (const { bytes } of output) printed += bytes.toString()
  }
  void read().catch(() => {})
  await until(`${name} has a complete line`, async () => printed.includes('\n'), { details: () => printed })
  return printed.trim()
}
