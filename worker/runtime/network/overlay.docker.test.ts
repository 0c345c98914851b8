import { execFile } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf, readJobNetworks, subnetOf } from '@/lib/contract/job-network'
import { PrivateEngine } from '../../testing/private-engine'
import type { ContainerRef, JobNetwork, TaskContainer } from '../runtime'
import { collect } from '../testing/runtime-bench'
import { TaskBench } from '../testing/task-bench'
import { connectMachines, type RunIproute, remotesOf } from './overlay'

const run = promisify(execFile)
const range = readJobNetworks('10.215.0.0/16')

/** A machine as far as networks go: a namespace with an engine in it, and a cable to the other one. */
interface Machine {
  node: string
  address: string
  iproute: RunIproute
  engine: PrivateEngine
  bench: TaskBench
}

const id = randomInt(16 ** 4).toString(16)
const [left, right] = [`gpuq-${id}-l`, `gpuq-${id}-r`]
const machines: Machine[] = []

async function openMachine(node: string, address: string): Promise<Machine> {
  await run('ip', ['-n', node, 'addr', 'add', `${address}/24`, 'dev', 'cable'])
  await run('ip', ['-n', node, 'link', 'set', 'cable', 'up'])
  await run('ip', ['-n', node, 'link', 'set', 'lo', 'up'])
  const iproute: RunIproute = async (program, args) => (await run(program, ['-n', node, ...args])).stdout
  const engine = await PrivateEngine.start({ liveRestore: false, namespace: node })
  const bench = new TaskBench({ socketPath: engine.socketPath, iproute })
  return { node, address, iproute, engine, bench }
}

beforeAll(async () => {
  for (const node of [left, right]) await run('ip', ['netns', 'add', node])
  await run('ip', ['link', 'add', 'cable', 'netns', left, 'type', 'veth', 'peer', 'cable', 'netns', right])
  machines.push(await openMachine(left, '198.18.7.1'))
  machines.push(await openMachine(right, '198.18.7.2'))
})

afterAll(async () => {
  for (const { bench, engine } of machines) {
    await bench.cleanUp()
    await engine.remove()
  }
  for (const node of [left, right]) await run('ip', ['netns', 'delete', node])
})

/** The network of an attempt with one task on each machine, as the given one sees it. */
function networkOf(index: number, own: Machine): JobNetwork {
  const { cidr: subnet, vni } = subnetOf(range, index)
  const peers = machines.map(({ node, address }, rank) => ({
    address: addressOf(range, index, rank),
    processes: 1,
    machine: node === own.node ? null : { node, address },
  }))
  return { subnet, vni, peers, internet: false }
}

/** Rank 0 sends a mebibyte to rank 1, which says how much came; then nobody waits. */
const transfer = `
import os, socket, time
rank, other = int(os.environ["NODE_RANK"]), "rank-%d" % (1 - int(os.environ["NODE_RANK"]))
if rank == 1:
    server = socket.create_server(("", 7000))
    server.settimeout(60)
    peer, (host, _) = server.accept()
    came = 0
    while piece := peer.recv(65536): came += len(piece)
    print(came, "bytes from", host, flush=True)
else:
    for _ in range(300):
        try: peer = socket.create_connection((other, 7000), 2); break
        except OSError: time.sleep(0.2)
    peer.sendall(bytes(1024 * 1024)); peer.close()
    print("sent", flush=True)`

const listening = `
import socket, time
server = socket.create_server(("", 7000))
print("listening")
time.sleep(600)`

/** Whether it comes in, and who it is that does. */
const seeking = (address: string, seconds: number) => `
import socket
try: socket.create_connection(("${address}", 7000), ${seconds}); print("in")
except OSError: print("out")`

function tasksOf(index: number, sources: string[]): Promise<TaskContainer[]> {
  const jobId = randomUUID()
  return Promise.all(
    machines.map((own, rank) =>
      own.bench.task(sources[rank] ?? '', { jobId, rank, network: networkOf(index, own) }),
    ),
  )
}

const spans = async () =>
  (await Promise.all(machines.map(({ iproute }) => iproute('ip', ['-o', 'link', 'show', 'type', 'vxlan']))))
    .join('')
    .trim()

/** A task's container on its machine. */
interface Placed {
  bench: TaskBench
  task: TaskContainer
  container: ContainerRef
}

/** One for each machine. */
function createAll(tasks: TaskContainer[]): Promise<Placed[]> {
  return Promise.all(
    machines.map(async ({ bench }, rank) => {
      const task = tasks[rank]
      if (!task) throw new Error('no task')
      return { bench, task, container: await bench.runtime.create(task) }
    }),
  )
}

/** Runs a task to its end, and gives what it printed. */
async function runPlaced(placed: Placed | undefined): Promise<string> {
  if (!placed) throw new Error('no container')
  const { bench, container } = placed
  return (await collect(await bench.runtime.start(container))).stdout.toString()
}

const removeAll = (placed: Placed[]) =>
  Promise.all(placed.map(({ bench, container }) => bench.runtime.remove(container)))

describe('an attempt over two machines', () => {
  it('has one network on both, which transmits full packets and is removed completely', async () => {
    const tasks = await tasksOf(randomInt(range.count), [transfer, transfer])
    const from = tasks[0]?.network
    const host = typeof from === 'object' ? from.peers[0]?.address : ''
    const placed = await createAll(tasks)
    expect(await Promise.all(placed.map(runPlaced))).toEqual(['sent\n', `1048576 bytes from ${host}\n`])
    await removeAll(placed)
    expect(await spans()).toBe('')
  })

  it('cannot be reached by another attempt, not even from the physical network', async () => {
    const index = randomInt(range.count - 1)
    const target = `${addressOf(range, index, 0)}`
    const own = await createAll(await tasksOf(index, [listening, seeking(target, 60)]))
    const other = await createAll(await tasksOf(index + 1, ['pass', seeking(target, 4)]))
    const [listener] = own
    await listener?.bench.startTask(listener.task, 'listening\n')
    expect(await runPlaced(own[1])).toBe('in\n')
    expect(await runPlaced(other[1])).toBe('out\n')
    await removeAll([...own, ...other])
    expect(await spans()).toBe('')
  })

  it('is created once, however often it is requested', async () => {
    const [first] = machines
    if (!first) throw new Error('no machine')
    const network = networkOf(randomInt(range.count), first)
    await first.iproute('ip', ['link', 'add', `gpuq-${network.vni.toString(16)}`, 'type', 'bridge'])
    await connectMachines(network, first.iproute)
    const before = await spans()
    await connectMachines(network, first.iproute)
    expect(await spans()).toBe(before)
    await first.iproute('ip', ['link', 'delete', before.split(': ')[1]?.split('@')[0] ?? ''])
    await first.iproute('ip', ['link', 'delete', `gpuq-${network.vni.toString(16)}`])
  })

  it('is refused with what to change on the node', async () => {
    const [first, second] = machines
    if (!first || !second) throw new Error('no machine')
    const network = networkOf(randomInt(range.count), first)
    // There is no bridge: the engine's networks are somewhere else.
    await expect(connectMachines(network, first.iproute)).rejects.toThrow(/Run it on the host network/)
    const failing =
      (error: Error): RunIproute =>
      () =>
        Promise.reject(error)
    const missing = Object.assign(new Error('spawn ip ENOENT'), { code: 'ENOENT' })
    await expect(connectMachines(network, failing(missing))).rejects.toThrow(/Install iproute2/)
    const forbidden = new Error('RTNETLINK answers: Operation not permitted')
    await expect(connectMachines(network, failing(forbidden))).rejects.toThrow(/CAP_NET_ADMIN/)
    const nowhere = {
      peers: network.peers.map((peer) => ({ ...peer, machine: { node: 'b', address: '127.0.0.1' } })),
    }
    expect(() => remotesOf(nowhere)).toThrow(/Node "b".*GPUQ_NODE_ADDRESS/)
  })
})
