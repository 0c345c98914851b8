import { describe, expect, it } from 'vitest'
import { ratePassword } from './password-strength'

const ada = ['ada', 'Ada Lovelace', 'ada.lovelace@example.org']
const isStrong = (password: string) => ratePassword(password, ada).strong

describe('a password', () => {
  it('is weak if it is common, a pattern or a repetition', () => {
    const weak = [
      '1234567890',
      'password1234',
      'qwertyuiop12',
      'abcdefghij',
      'aaaaaaaaaaaaaaaa',
      'abcabcabcabc',
    ]
    expect(weak.filter(isStrong)).toEqual([])
  })

  it('is weak if it is made of what others know of the user, or of gpuq', () => {
    const weak = ['ada.lovelace', 'AdaLovelace1', 'lovelaceada', 'ada.lovelace@example.org', 'gpuqgpuq12']
    expect(weak.filter(isStrong)).toEqual([])
    expect(ratePassword('AdaLovelace1', []).strong).toBe(true)
    expect(ratePassword('ada.lovelace', ada).advice[0]).toMatch(/contains your name/)
  })

  it('is strong if it has several words or random characters', () => {
    const strong = ['blue lamp runs fast', 'correct horse battery', 'k7fq9dn2xw3m', 'Zürich über alles']
    expect(strong.filter((password) => !isStrong(password))).toEqual([])
    expect(ratePassword('blue lamp runs fast', ada).advice).toEqual([])
  })

  it('gets advice in sentences', () => {
    for (const password of ['1234567890', 'abcabcabcabc', '20.11.2026']) {
      const { advice } = ratePassword(password, ada)
      expect(advice.length).toBeGreaterThan(0)
      for (const sentence of advice) expect(sentence).toMatch(/^[A-Z].* .*\.$/)
    }
  })

  it('is rated by its beginning, so that a long one takes little time', () => {
    expect(isStrong(`${'a'.repeat(64)} blue lamp runs fast`)).toBe(false)
  })
})
