import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConfig } from './config'

/** Letters that our own sentences never have six of in a row: a piece that is found is one of the token. */
const consonants = 'bcdfghjklmnpqrstvwxz'
const random = `${consonants}${consonants.toUpperCase()}0123456789`
const secretOf = (set: string, length: number) =>
  fc.array(fc.constantFrom(...set), { minLength: length, maxLength: length }).map((chars) => chars.join(''))

/** Configs as people and programs write them, the token early, late, and on a line of its own. */
const styles = [
  (secret: string) => `competition_id: "c"\nproject_id: p\ntoken: ${secret}\nexpected_time: 60\n`,
  (secret: string) => `expected_time: 60\nproject_id: p\ncompetition_id: c\ntoken: "${secret}"\n`,
  (secret: string) => `{'user_id': 'u', 'competition_id': 'c', 'token': '${secret}', 'expected_time': 60}`,
  (secret: string) => `{"project_id":"p","competition_id":"c","expected_time":60,"token":"${secret}"}`,
  (secret: string) =>
    `token:\n  ${secret}\ncompetition_id: c\nproject_id: p\nexpected_time: 60\nenv:\n  A: 1\n`,
]

const slip = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 3 }),
  insert: fc.constantFrom(...'\n|: |:|\n: | |\'|"|{|}|[|]|,|#|&|*|!|>|\n- |? |<<: '.split('|'), '|', ''),
})
type Slip = typeof slip extends fc.Arbitrary<infer Value> ? Value : never

/** The text with slips between `from` and a little after the token. */
function withSlips(text: string, from: number, to: number, slips: Slip[]): string {
  return slips.reduce((broken, { at, remove, insert }) => {
    const place = from + (at % (to - from))
    return broken.slice(0, place) + insert + broken.slice(place + remove)
  }, text)
}

function piecesOf(secret: string): string[] {
  return Array.from({ length: secret.length - 5 }, (_, start) => secret.slice(start, start + 6))
}

function expectNoPiece(text: string, secret: string): void {
  const result = parseConfig(text)
  if (result.ok) return
  const said = JSON.stringify(result.errors)
  for (const piece of piecesOf(secret)) expect(said).not.toContain(piece)
}

const slips = fc.array(slip, { minLength: 1, maxLength: 6 })
const style = fc.constantFrom(...styles)

describe('the errors of a broken config', () => {
  it('hold no piece of a random token, wherever the slips are', () => {
    const secret = fc.oneof(
      secretOf(random, 49).map((rest) => `gpuq_${rest}`),
      secretOf(random, 40),
    )
    fc.assert(
      fc.property(secret, style, slips, (secret, write, slips) => {
        const text = write(secret)
        const from = text.indexOf('token') - 4
        expectNoPiece(
          withSlips(text, Math.max(from, 0), text.indexOf(secret) + secret.length + 8, slips),
          secret,
        )
      }),
      { numRuns: 500 },
    )
  })

  it('hold no piece of a token made of words, as long as its key can be recognised', () => {
    const secret = fc.oneof(secretOf(consonants, 40), secretOf(`${consonants}-_.`, 40))
    fc.assert(
      fc.property(secret, style, slips, (secret, write, slips) => {
        const text = write(secret)
        const from = text.indexOf(secret)
        expectNoPiece(withSlips(text, from, from + secret.length + 8, slips), secret)
      }),
      { numRuns: 500 },
    )
  })

  it('hold no piece of it under any cut', () => {
    const secret = 'gpuq_Zx81kQwErTyUiOpAsDfGhJkLzXcVbNm1234567890abcd'
    for (const write of styles) {
      const text = write(secret)
      for (let at = 0; at <= text.length; at++) {
        expectNoPiece(text.slice(0, at), secret)
        expectNoPiece(`${text.slice(0, at)}\n${text.slice(at)}`, secret)
        expectNoPiece(`${text.slice(0, at)}: ${text.slice(at)}`, secret)
      }
    }
  })

  it('hold no other value either', () => {
    const result = parseConfig(
      'name: [hush-hush]\nproject_id: "hush hush"\nenv: {A: [hush-hush]}\npool: hush-hush\n',
    )
    expect(JSON.stringify(result)).not.toContain('hush')
  })
})
