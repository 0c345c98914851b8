import { describe, expect, it } from 'vitest'
import { configToYaml, parseConfig } from './config'
import { refuseMountPath } from './mounts'
import { readSpec } from './stored-spec'

const base = 'competition_id: c\nproject_id: p\nexpected_time: 1\n'

describe('the path of a mount', () => {
  it.each([
    '/data',
    '/data/sets/cifar-10',
    '/mnt/models.v1',
    '/opt/data',
    '/home/me',
    '/usr2',
    '/workspace',
    '/jobs',
  ])('%s is accepted', (path) => {
    expect(refuseMountPath(path)).toBeNull()
  })

  const refused: [string, string][] = [
    ['', 'absolute'],
    ['data', 'absolute'],
    ['./data', 'absolute'],
    ['/', 'whole file system'],
    ['/data/', 'slash'],
    ['//data', 'may have letters'],
    ['/data//x', 'may have letters'],
    ['/data/.', 'may have letters'],
    ['/data/..', 'may have letters'],
    ['/data/../etc', 'may have letters'],
    ['/.hidden', 'may have letters'],
    ['/da ta', 'may have letters'],
    ['/da\nta', 'may have letters'],
    ['/da:ta', 'may have letters'],
    ['/da,ta', 'may have letters'],
    ['/däta', 'may have letters'],
    [`/${'a'.repeat(256)}`, 'at most 256 characters'],
    ...['/job', '/work', '/results', '/checkpoints', '/tmp', '/proc', '/sys', '/dev', '/run'].flatMap(
      (path) => [
        [path, 'gpuq uses'] satisfies [string, string],
        [`${path}/x`, 'gpuq uses'] satisfies [string, string],
      ],
    ),
    ...['/usr', '/usr/lib/python3', '/bin', '/lib', '/lib64', '/etc', '/sbin', '/var/lib', '/boot'].map(
      (path): [string, string] => [path, 'the programs of the image'],
    ),
  ]
  it.each(refused)('%j is refused', (path, message) => {
    expect(refuseMountPath(path)).toContain(message)
  })
})

describe('the key mounts', () => {
  it('is stored, and written again', () => {
    const parsed = parseConfig(`${base}mounts: {/data: data/cifar10, /models: models/bert@2}\n`)
    if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
    const mounts = { '/data': 'data/cifar10', '/models': 'models/bert@2' }
    expect(parsed.config.mounts).toEqual(mounts)
    expect(readSpec(parsed.config).mounts).toEqual(mounts)
    expect(configToYaml(parsed.config)).toContain(
      'mounts:\n  /data: "data/cifar10"\n  /models: "models/bert@2"\n',
    )
  })

  it('is empty if it is missing, also in jobs of an earlier release', () => {
    expect(parseConfig(base)).toMatchObject({ ok: true, config: { mounts: {} } })
    expect(readSpec({}).mounts).toEqual({})
  })

  it.each([
    ['mounts: {/etc: data}', 'need this directory'],
    ['mounts: {/data: Data}', 'lower-case'],
    ['mounts: {/data: data@0}', 'version number'],
    ['mounts: {/data: a, /data/x: b}', 'inside another one'],
    ['mounts: {/data/x/y: a, /data: b}', 'inside another one'],
    ['mounts: [/data]', 'must be a mapping'],
    ['mounts: {/data: [a]}', 'must be one text'],
    [`mounts: {${Array.from({ length: 17 }, (_, i) => `/m${i}: a`).join(', ')}}`, 'at most 16'],
  ])('%s is refused', (line, message) => {
    const parsed = parseConfig(`${base}${line}\n`)
    expect(parsed.ok ? [] : parsed.errors).toEqual([
      expect.objectContaining({ line: 4, message: expect.stringContaining(message) }),
    ])
  })

  it('accepts paths beside each other whose names begin equally', () => {
    expect(parseConfig(`${base}mounts: {/data: a, /data2: b}\n`).ok).toBe(true)
  })
})
