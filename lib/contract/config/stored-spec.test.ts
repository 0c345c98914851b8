import { expect, it } from 'vitest'
import { parseConfig } from './config'
import { parseSpec, publicSpec, readSpec } from './stored-spec'

it('gets the defaults of the config for keys that an older release did not write', () => {
  const parsed = parseConfig('competition_id: c\nproject_id: p\nexpected_time: 60\n')
  expect(parsed).toMatchObject({ ok: true, config: readSpec({}) })
  expect(readSpec({ gpu_count: 2 })).toEqual({ ...readSpec({}), gpu_count: 2 })
})

it('stays readable when the limits of new configs change', () => {
  const old = { gpu_count: 64, gpu_memory_gb: 0.01, name: ' x '.repeat(200), allowed_gpus: [], args: ['a'] }
  expect(readSpec(old)).toMatchObject(old)
})

it('keeps keys that it does not know', () => {
  expect(readSpec({ competition_id: 'c', later: true })).toMatchObject({ competition_id: 'c', later: true })
})

it.each([{ gpu_count: 'many' }, { env: { A: 1 } }, { pool: 'x' }, { tags: 'a' }, null])(
  'is refused if a value has the wrong type: %j',
  (spec) => {
    expect(() => readSpec(spec)).toThrow()
  },
)

it('is parsed beside the other columns of its row', () => {
  expect(parseSpec({ id: 'job', spec: { tty: true } })).toEqual({ id: 'job', spec: readSpec({ tty: true }) })
})

it('is shown without the values of variables', () => {
  expect(publicSpec(readSpec({ env: { KEY: 'secret' } }))).toMatchObject({ env: ['KEY'] })
})
