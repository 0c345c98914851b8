import { describe, expect, it } from 'vitest'
import type { TaskContainer } from '../runtime'
import { findOwn, inspectSchema, toContainerRef, toExit } from './container-state'

const carried = { 'gpuq.job': 'j', 'gpuq.task': 't', 'gpuq.node': 'n', 'gpuq.attempt': '2' }

describe('toContainerRef', () => {
  it('reads our labels, and maps every engine state to one of three', () => {
    const state = (status: string) => toContainerRef('id', carried, status)?.state
    expect(toContainerRef('id', carried, 'created')).toEqual({
      id: 'id',
      jobId: 'j',
      taskId: 't',
      nodeId: 'n',
      attempt: 2,
      state: 'created',
      network: null,
      tty: false,
      warm: false,
      snapshots: [],
    })
    const shared = toContainerRef('id', { ...carried, 'gpuq.network': 'gpuq-j-2' }, 'running')
    expect(shared?.network).toBe('gpuq-j-2')
    const mounting = toContainerRef('id', { ...carried, 'gpuq.snapshots': 'aa,bb' }, 'running')
    expect(mounting?.snapshots).toEqual(['aa', 'bb'])
    expect(toContainerRef('id', { ...carried, 'gpuq.terminal': 'true' }, 'created')?.tty).toBe(true)
    expect(['running', 'paused', 'restarting'].map(state)).toEqual(['running', 'running', 'running'])
    expect(['exited', 'dead', 'removing'].map(state)).toEqual(['exited', 'exited', 'exited'])
  })

  it('ignores containers with labels of others', () => {
    const others: (Record<string, string> | null)[] = [
      null,
      {},
      { 'gpuq.node': 'n' },
      { ...carried, 'gpuq.attempt': 'x' },
      { ...carried, 'gpuq.job': '' },
    ]
    for (const labels of others) {
      expect(toContainerRef('id', labels, 'running')).toBeNull()
    }
  })
})

const inspected = (state: object, Labels: Record<string, string> = carried) =>
  inspectSchema.parse({ Id: 'id', Config: { Labels }, State: { Status: 'exited', ExitCode: 0, ...state } })

describe('findOwn', () => {
  it('requires the same job, task, attempt and node', () => {
    const task = { jobId: 'j', taskId: 't', attempt: 2, nodeId: 'n' } as TaskContainer
    expect(findOwn(task, inspected({})).id).toBe('id')
    for (const change of [{ jobId: 'x' }, { taskId: 'x' }, { attempt: 1 }, { nodeId: 'x' }]) {
      expect(() => findOwn({ ...task, ...change }, inspected({}))).toThrow('A different container')
    }
    expect(() => findOwn(task, inspected({}, {}))).toThrow('A different container')
  })
})

describe('toExit', () => {
  it('reads times in milliseconds, and the year 1 as null', () => {
    const exit = toExit(
      inspected({
        ExitCode: 137,
        OOMKilled: true,
        StartedAt: '2026-11-20T23:23:55.390123456Z',
        FinishedAt: '0001-01-01T00:00:00Z',
      }),
    )
    expect(exit).toEqual({
      exitCode: 137,
      outOfMemory: true,
      startedAt: new Date('2026-11-20T23:23:55.390Z'),
      finishedAt: null,
    })
  })

  it('never reports an end before the start, although the clock of the engine can step back', () => {
    const exit = toExit(
      inspected({ StartedAt: '2026-11-20T23:23:55.391Z', FinishedAt: '2026-11-20T23:23:55.390Z' }),
    )
    expect(exit.finishedAt).toEqual(new Date('2026-11-20T23:23:55.391Z'))
  })

  it('is refused for a container that has not ended', () => {
    expect(() => toExit(inspected({ Status: 'created' }))).toThrow('created')
  })
})
