import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dockerdArguments, readEngineFiles } from './dockerd-arguments.mjs'

const host = 'unix:///var/run/docker.sock'
const plain = { config: null, swarm: false }

describe('an engine that gpuq starts', () => {
  it('runs with live-restore, so that jobs survive its restart', () => {
    expect(dockerdArguments(host, ['--debug'], plain)).toEqual([
      `--host=${host}`,
      '--live-restore',
      '--debug',
    ])
  })

  it.each([
    ['the arguments decide', ['--live-restore=false'], plain],
    ['the configuration file decides', [], { ...plain, config: '{"live-restore": false}' }],
    ['it belongs to a swarm, which dockerd refuses with live-restore', [], { ...plain, swarm: true }],
  ])('gets no argument of gpuq if %s', (_, given, files) => {
    expect(dockerdArguments(host, given, files)).toEqual([`--host=${host}`, ...given])
  })

  it.each(['', 'no JSON', 'null'])('ignores the configuration file %j, which dockerd judges', (config) => {
    expect(dockerdArguments(host, [], { config, swarm: false })).toContain('--live-restore')
  })

  it('reads the files that its arguments name', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-dockerd-'))
    try {
      const file = join(directory, 'daemon.json')
      const given = ['--config-file', file, `--data-root=${directory}`]
      expect(readEngineFiles(given)).toEqual({ config: null, swarm: false })
      await writeFile(file, JSON.stringify({ 'data-root': directory }))
      await mkdir(join(directory, 'swarm'))
      await writeFile(join(directory, 'swarm', 'docker-state.json'), '{}')
      expect(readEngineFiles(given)).toMatchObject({ swarm: true })
      expect(readEngineFiles(given.slice(0, 2))).toMatchObject({ swarm: true })
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
