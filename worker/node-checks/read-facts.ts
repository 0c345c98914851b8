import { readdir, readFile, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GpuReading } from '@/lib/cluster/gpus/gpu-reading'
import { database } from '@/lib/database/client'
import { oneRow } from '@/lib/database/transaction'
import { firstGpus } from '../gpus/discover'
import { readGpus } from '../gpus/read-gpus'
import { NvidiaSmiFault, runNvidiaSmi } from '../gpus/run-nvidia-smi'
import type { ContainerRuntime } from '../runtime/container-runtime'
import type { EngineInfo } from '../runtime/engine-info'
import { RuntimeFault } from '../runtime/runtime'
import type { NetworkFacts } from './judge-engine'
import type { SmiFacts } from './judge-gpus'
import type { ClockFacts, DiskFacts } from './judge-machine'

/** Reads the engine, or why it does not answer. */
export async function readEngine(runtime: ContainerRuntime): Promise<EngineInfo | { problem: string }> {
  try {
    return await runtime.facts.info()
  } catch (error) {
    if (error instanceof RuntimeFault) return { problem: error.message }
    throw error
  }
}

/** Reads the state of the firewall rules. */
export async function readNetwork(
  runtime: ContainerRuntime,
  { internetProblem }: EngineInfo,
  enabled: boolean,
  used: boolean | null,
): Promise<NetworkFacts> {
  const unread = !enabled || internetProblem !== null
  const rules = unread ? 'unknown' : await runtime.internet.rulesState().catch(() => 'unknown' as const)
  return { enabled, problem: internetProblem, rules, used }
}

/** Reads the free space of a directory's disk; null: the directory is not visible here. */
export async function readDisk(path: string): Promise<DiskFacts | null> {
  try {
    const { bavail, bsize, ffree, files } = await statfs(path)
    return { path, freeBytes: bavail * bsize, freeFiles: ffree, totalFiles: files }
  } catch {
    return null
  }
}

/** Whether two directories are on the same file system. */
export async function isSameDisk(one: string, other: string): Promise<boolean> {
  try {
    return (await stat(one)).dev === (await stat(other)).dev
  } catch {
    return false
  }
}

const clockReadings = 5
const clockPauseMs = 50

/**
 * Compares this clock with the database's. The reading with the shortest round trip counts: its middle
 * is nearest to the moment when the database read its clock. Null: the database does not answer.
 */
export async function readClock(): Promise<ClockFacts | null> {
  const readings: ClockFacts[] = []
  try {
    for (let reading = 0; reading < clockReadings; reading++) {
      if (reading > 0) await sleep(clockPauseMs)
      readings.push(await readClockOnce())
    }
  } catch {
    return null
  }
  return readings.reduce((best, one) => (one.uncertaintyMs < best.uncertaintyMs ? one : best))
}

async function readClockOnce(): Promise<ClockFacts> {
  const before = Date.now()
  const began = performance.now()
  const { ms } = await oneRow<{ ms: number }>(
    database().pool,
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  )
  const uncertaintyMs = (performance.now() - began) / 2
  return { offsetMs: before + uncertaintyMs - ms, uncertaintyMs }
}

/**
 * Reads what nvidia-smi reports.
 * @param maxGpus GPUQ_GPUS
 */
export async function readSmi(maxGpus: number | undefined): Promise<SmiFacts> {
  try {
    const { gpus, faults } = firstGpus(await readGpus(), maxGpus)
    const unhealthy = gpus.flatMap(({ index, fault }) => (fault === null ? [] : [`GPU ${index}: ${fault}`]))
    return {
      kind: 'listed',
      gpus: gpus.map((gpu) => ({ index: gpu.index, uuid: gpu.uuid, model: gpu.model, idle: isIdle(gpu) })),
      faults: [...faults.map(({ message }) => message), ...unhealthy],
      driver: await readDriver(),
    }
  } catch (error) {
    if (!(error instanceof NvidiaSmiFault)) throw error
    if (error.code === 'absent') return { kind: 'absent', pciGpus: await countPciGpus() }
    return { kind: 'failed', message: error.message }
  }
}

/** A desktop on the GPU takes some of its memory and is no job. */
const idleShare = 0.1

function isIdle({ load, memoryUsedMib, memoryMib }: GpuReading): boolean {
  return (load ?? 0) < idleShare && (memoryUsedMib ?? 0) < memoryMib * idleShare
}

async function readDriver(): Promise<string | null> {
  const asked = ['--query-gpu=driver_version', '--format=csv,noheader']
  const { stdout } = await runNvidiaSmi(asked, 10_000)
  return /^\d+(\.\d+)+$/m.exec(stdout)?.[0] ?? null
}

const pciDevices = '/sys/bus/pci/devices'

/** Counts NVIDIA's display and 3D controllers. */
export async function countPciGpus(directory = pciDevices): Promise<number> {
  const devices = await readdir(directory).catch(() => [])
  const read = (device: string, file: string) =>
    readFile(join(directory, device, file), 'utf8').catch(() => '')
  const found = await Promise.all(
    devices.map(
      async (device) =>
        (await read(device, 'vendor')).trim() === '0x10de' &&
        (await read(device, 'class')).startsWith('0x03'),
    ),
  )
  return found.filter(Boolean).length
}
