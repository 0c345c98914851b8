import { describe, expect, it } from 'vitest'
import { parseConfig } from '@/lib/contract/config/config'
import { formatFix, parseFix } from '@/lib/contract/diagnosis/fix'
import { applyFix } from './apply-fix'

const base = 'competition_id: "c"\nproject_id: "p"\nexpected_time: 60\n'
const fixed = (config: string, fix: string) => {
  const parsed = parseFix(fix)
  const applied = parsed && applyFix(base + config, parsed)
  const result = applied && parseConfig(applied.config)
  return result?.ok ? result.config : null
}

describe('a fix of a failed job', () => {
  it('changes a value of the config, and adds a missing one', () => {
    expect(fixed('memory_gb: 1\n', 'memory_gb:2')).toMatchObject({ memory_gb: 2 })
    expect(fixed('', 'environment:online')).toMatchObject({ environment: 'online' })
    expect(applyFix(base, { key: 'max_time', value: 120 })?.note).toBe('max_time: 120')
  })

  it.each([
    ['command: "sh train.sh --a"\n', 'bash train.sh --a'],
    ['command: "cd src && sh run.sh"\n', 'cd src && bash run.sh'],
    ['command: "set -o pipefail; ls"\n', '#!/bin/bash\nset -o pipefail; ls'],
    ['command: "#!/bin/sh\\nset -o pipefail"\n', '#!/bin/bash\nset -o pipefail'],
    ['entrypoint: "run.sh"\n', 'bash run.sh'],
  ])('runs with bash: %j', (config, command) => {
    expect(fixed(config, 'shell:bash')).toMatchObject({ command })
    expect(fixed(config, 'shell:bash')).not.toHaveProperty('entrypoint')
  })

  it.each(['entrypoint: "train.py"\n', '', 'entrypoint: "run.sh"\nargs: ["a"]\n'])(
    'changes nothing in %j',
    (config) => {
      expect(applyFix(base + config, { key: 'shell', value: 'bash' })).toBeNull()
    },
  )

  it.each(['command:rm -rf', 'token:abc', 'environment:a b', 'memory_gb:x', 'memory_gb:-1', 'shell:zsh', ''])(
    'a fix of a failed job of a link is refused: %s',
    (text) => {
      expect(parseFix(text)).toBeNull()
    },
  )

  it('is read as it was written', () => {
    for (const fix of [
      { key: 'memory_gb', value: 1.5 },
      { key: 'environment', value: 'online' },
      { key: 'shell', value: 'bash' },
    ] as const)
      expect(parseFix(formatFix(fix))).toEqual(fix)
  })
})
