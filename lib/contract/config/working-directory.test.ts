import { describe, expect, it } from 'vitest'
import { parseConfig } from './config'
import { refuseWorkingDirectory } from './working-directory'

const base = 'competition_id: c\nproject_id: p\nexpected_time: 1\n'

describe('the working directory', () => {
  it.each([
    '/workspace',
    '/workspace/experiments',
    '/root/project',
    '/home/ada/my project',
    '/tmp/agent-1',
    '/data/naïve',
    '/Users/ada/project',
    '/work',
    '/opt/project',
  ])('%s is accepted', (path) => {
    expect(refuseWorkingDirectory(path)).toBeNull()
  })

  it.each([
    '',
    'project',
    './project',
    '~/project',
    '/',
    '//workspace',
    '/workspace/',
    '/workspace/..',
    '/workspace/../etc',
    '/workspace/./x',
    '/work\nspace',
    `/${'a'.repeat(1024)}`,
    '/tmp',
    '/home',
    '/opt',
    '/mnt',
    ...[
      '/etc',
      '/usr',
      '/usr/lib/python3',
      '/usr/local/bin',
      '/bin',
      '/sbin',
      '/lib',
      '/lib64/x',
      '/boot',
      '/proc/self',
      '/sys/fs',
      '/dev/shm',
      '/run/x',
      '/var',
      '/var/run/x',
      '/job',
      '/job/dir',
      '/results',
      '/checkpoints/x',
    ],
  ])('%j is refused', (path) => {
    expect(refuseWorkingDirectory(path)).toEqual(expect.any(String))
  })

  it('is a key of the config, but not beside a script of the host', () => {
    const text = `${base}command: sh run.sh\nworking_directory: /workspace/project\n`
    expect(parseConfig(text)).toMatchObject({ ok: true, config: { working_directory: '/workspace/project' } })
    const refused = parseConfig(`${base}host_script: /home/ada/a.py\nworking_directory: /workspace/project\n`)
    expect(refused).toMatchObject({ ok: false, errors: [{ path: 'host_script' }] })
    expect(parseConfig(`${base}working_directory: /etc\n`)).toMatchObject({
      ok: false,
      errors: [{ path: 'working_directory', message: expect.stringContaining('/workspace/project') }],
    })
  })
})
