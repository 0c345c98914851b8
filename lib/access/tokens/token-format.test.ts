import { describe, expect, it } from 'vitest'
import { generateToken, hashToken, looksLikeToken, tokenHint } from './token-format'

describe('a token', () => {
  it('is gpuq_, 43 letters and digits, and a checksum of 6 characters', () => {
    const token = generateToken()
    expect(token).toMatch(/^gpuq_[0-9A-Za-z]{49}$/)
    expect(looksLikeToken(token)).toBe(true)
  })

  it('is different each time', () => {
    expect(new Set(Array.from({ length: 1000 }, generateToken)).size).toBe(1000)
  })

  it('reveals a typing error at every position', () => {
    const token = generateToken()
    for (let place = 0; place < token.length; place++) {
      const wrong = token[place] === 'x' ? 'y' : 'x'
      expect(looksLikeToken(token.slice(0, place) + wrong + token.slice(place + 1))).toBe(false)
    }
    expect(looksLikeToken(`${token}0`)).toBe(false)
    expect(looksLikeToken(token.slice(0, -1))).toBe(false)
  })

  it('has a hint of a few characters, fewer for a token chosen by a person', () => {
    const token = generateToken()
    expect(tokenHint(token)).toBe(`${token.slice(0, 9)}…`)
    expect(tokenHint('correct horse battery staple and more')).toBe('corr…')
  })

  it('is stored as a hash of 32 bytes', () => {
    const token = generateToken()
    expect(hashToken(token)).toHaveLength(32)
    expect(hashToken(token).toString('latin1')).not.toContain('gpuq')
  })
})
