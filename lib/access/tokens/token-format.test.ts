import { describe, expect, it } from 'vitest'
import { generateToken, hashToken, looksLikeToken, tokenHint } from './token-format'

describe('a token', () => {
  it('is gpuq_, 43 letters and digits, and a checksum of 6', () => {
    const token = generateToken()
    expect(token).toMatch(/^gpuq_[0-9A-Za-z]{49}$/)
    expect(looksLikeToken(token)).toBe(true)
  })

  it('is another one each time', () => {
    expect(new Set(Array.from({ length: 1000 }, generateToken)).size).toBe(1000)
  })

  it('shows a typing error in every place', () => {
    const token = generateToken()
    for (let place = 0; place < token.length; place++) {
      const wrong = token[place] === 'x' ? 'y' : 'x'
      expect(looksLikeToken(token.slice(0, place) + wrong + token.slice(place + 1))).toBe(false)
    }
    expect(looksLikeToken(`${token}0`)).toBe(false)
    expect(looksLikeToken(token.slice(0, -1))).toBe(false)
  })

  it('is told apart by few of its characters, and fewer where a person made it up', () => {
    const token = generateToken()
    expect(tokenHint(token)).toBe(`${token.slice(0, 9)}…`)
    expect(tokenHint('correct horse battery staple and more')).toBe('corr…')
  })

  it('is stored as 32 bytes that do not hold it', () => {
    const token = generateToken()
    expect(hashToken(token)).toHaveLength(32)
    expect(hashToken(token).toString('latin1')).not.toContain('gpuq')
  })
})
