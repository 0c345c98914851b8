import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { JobResult } from '@/lib/contract/jobs'
import { networkAddresses } from '../network'
import { curlLine, describeResult, quoteForShell, welcome } from './welcome'

const admin = {
  handle: 'admin',
  email: 'admin@example.org',
  password: 'pass-word-1',
  token: 'gpuq_abc',
  tokenVariable: null,
}
const place = {
  url: 'http://localhost:8001',
  networkAddresses: [],
  dataDir: '/srv/data',
  sampleDir: '/srv/gpuq/deploy/sample',
  keepsJobs: false,
}

describe('a shell word', () => {
  it.each(['plain', 'with space', 'a"b', '$HOME', '`id`', 'back\\slash', "it's"])(
    'keeps %j unchanged',
    (word) => {
      const shell = execFileSync('sh', ['-c', `printf %s ${quoteForShell(word)}`], { encoding: 'utf8' })
      expect(shell).toBe(word)
    },
  )

  it('submits the sample job', () => {
    const line = curlLine(place.url, admin.token, place.sampleDir).replace(/ \\\n\s+/g, ' ')
    expect(line).toBe(
      'curl -X POST "http://localhost:8001/api/submit" -H "Authorization: Bearer gpuq_abc" ' +
        '-F "code=@/srv/gpuq/deploy/sample/solution.py" -F "config_file=@/srv/gpuq/deploy/sample/config.yaml"',
    )
  })
})

describe('the final message of a start', () => {
  it('shows new credentials once', () => {
    expect(welcome(place, { created: true, admin })).toMatch(
      /admin@example.org[\s\S]*pass-word-1[\s\S]*gpuq_abc[\s\S]*curl/,
    )
    const { handle, email } = admin
    const second = welcome(place, { created: false, admin: { handle, email } })
    expect(second).toMatch(/localhost:8001[\s\S]*admin@example.org/)
    expect(second).not.toMatch(/Password|Token|curl/)
  })

  it('says what Ctrl-C does with running jobs', () => {
    const { handle, email } = admin
    const first = { created: false as const, admin: { handle, email } }
    expect(welcome(place, first)).toContain(
      'Press Ctrl-C to stop gpuq and its running jobs, which begin again at the next start.',
    )
    expect(welcome({ ...place, keepsJobs: true }, first)).toContain(
      'Press Ctrl-C to stop gpuq; running jobs go on.',
    )
  })

  it('does not repeat a password that the user set', () => {
    expect(welcome(place, { created: true, admin: { ...admin, password: null } })).toContain(
      'GPUQ_ADMIN_PASSWORD',
    )
  })

  it('does not repeat a token that the user set', () => {
    const tokenVariable = 'GPUQ_ADMIN_TOKEN'
    const given = welcome(place, { created: true, admin: { ...admin, tokenVariable } })
    expect(given).not.toContain(admin.token)
    expect(given).toContain(`Token        the one in ${tokenVariable}`)
    expect(given).toContain(`Bearer $${tokenVariable}"`)
  })
})

describe('the addresses in the final message', () => {
  const card = (address: string, internal: boolean, family: 'IPv4' | 'IPv6' = 'IPv4') => {
    const shared = { address, netmask: '', mac: '', internal, cidr: null }
    return family === 'IPv4' ? { ...shared, family } : { ...shared, family, scopeid: 0 }
  }
  const interfaces = {
    lo: [card('127.0.0.1', true)],
    eth0: [card('192.168.1.5', false), card('fd00::5', false, 'IPv6')],
  }

  it.each([
    ['127.0.0.1', []],
    ['localhost', []],
    ['::1', []],
    ['192.168.1.5', ['http://192.168.1.5:8001']],
    ['0.0.0.0', ['http://192.168.1.5:8001']],
    ['::', ['http://192.168.1.5:8001', 'http://[fd00::5]:8001']],
  ])('are those that HOST=%s is reached at', (host, expected) => {
    expect(networkAddresses(host, 8001, interfaces)).toEqual(expected)
  })

  const admin = { handle: 'admin', email: null }
  const shown = (url: string, addresses: string[]) =>
    welcome({ ...place, url, networkAddresses: addresses }, { created: false, admin })

  it('come with a warning about plain HTTP, unless the public address is https', () => {
    expect(shown('http://localhost:8001', [])).not.toMatch(/Other machines|plain HTTP/)
    expect(shown('http://localhost:8001', ['http://192.168.1.5:8001'])).toMatch(
      /Other machines reach it at http:\/\/192\.168\.1\.5:8001\n.*plain HTTP/,
    )
    expect(shown('https://gpuq.example.org', ['http://192.168.1.5:8001'])).not.toContain('plain HTTP')
  })
})

describe('the result of the sample job', () => {
  const result: JobResult = {
    job_id: 'id',
    status: 'completed',
    reason: 'finished',
    reason_text: null,
    stdout: 'Hello\n{"slope": 3}\n',
    stderr: '',
    exit_code: 0,
    results: [{ slope: 3 }],
    result_file: null,
    truncated: false,
  }

  it('is its output', () => {
    expect(describeResult(result)).toBe('      Hello\n      {"slope": 3}')
  })

  it('has the beginning and the end of a long output', () => {
    const stdout = Array.from({ length: 52 }, (_, n) => `${n}`).join('\n')
    const shown = describeResult({ ...result, stdout })
      .split('\n')
      .map((line) => line.trim())
    expect(shown).toEqual(['0', '1', '2', '3', '… 44 more lines', '48', '49', '50', '51'])
  })

  it('is the reason why it failed', () => {
    const failed = { ...result, status: 'failed' as const, reason_text: 'It used more memory than it had.' }
    expect(describeResult(failed)).toMatch(/^ {6}failed: It used more memory/)
  })
})
