import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configYaml } from '@/lib/contract/config/first-config'
import { curlCommand, installCommands, pythonProgram } from './snippets'

describe('snippets', () => {
  it('are YAML with the user and the token', () => {
    const token = 'odd "token": #1 \\ with a \'quote\''
    expect(parse(configYaml({ handle: '007', token }))).toEqual({
      competition_id: 'my-competition',
      project_id: 'my-project',
      user_id: '007',
      expected_time: 300,
      token,
    })
  })

  it('are a correctly quoted shell command', () => {
    const token = `it's $HOME \`x\``
    const command = curlCommand({ token, origin: 'http://gpu.lab:8001' })
    const shown = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${command}`], {
      encoding: 'utf8',
    })
    expect(shown.trimEnd().split('\n')).toEqual([
      '-X',
      'POST',
      'http://gpu.lab:8001/api/submit',
      '-H',
      `Authorization: Bearer ${token}`,
      '-F',
      'code=@solution.py',
      '-F',
      'config_file=@config.yaml',
    ])
  })

  it('are a Python program with quoted texts', () => {
    const token = 'odd "token" \\ ü'
    const program = pythonProgram({ token, origin: 'https://gpu.lab' })
    const texts = [...program.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => JSON.parse(text))
    expect(texts).toEqual(['https://gpu.lab/gpuq.py', 'gpuq.py', 'solution.py', token])
  })

  it.each(['https://gpu.lab', 'http://localhost:8001', 'http://[2001:db8::7]:8001'])(
    'installs the command line of %s, and signs in there',
    (origin) => {
      const said = `npm() { printf '%s\\n' "$@"; }; gpuq() { npm "$@"; }\n${installCommands({ origin })}`
      const shown = execFileSync('sh', ['-c', said], { encoding: 'utf8' })
      expect(shown.trimEnd().split('\n')).toEqual([
        'install',
        '-g',
        `${origin}/gpuq.tgz`,
        'login',
        '--server',
        origin,
      ])
    },
  )
})
