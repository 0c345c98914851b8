import { describe, expect, it } from 'vitest'
import { choosePhase } from './choose-phase'

/** @param due the end with an extension */
const phase = (key: string, start: string, end: string, due = end, until = due) => ({
  key,
  startsAt: new Date(start),
  endsAt: new Date(end),
  dueAt: new Date(due),
  acceptedUntil: new Date(until),
})
const warm = phase('warm', '2027-01-01T00:00Z', '2027-01-10T00:00Z')
const main = phase('main', '2027-01-09T00:00Z', '2027-02-01T00:00Z')

const choose = (receivedAt: string, asked: string | null = null, phases = [warm, main]) =>
  choosePhase(phases, { slug: 'cup', timezone: 'Europe/Berlin', asked, receivedAt: new Date(receivedAt) }).key

describe('the phase of an entry', () => {
  it('is the only open one, from its start on', () => {
    expect(choose('2027-01-01T00:00Z')).toBe('warm')
    expect(choose('2027-01-20T00:00Z')).toBe('main')
  })

  it('an entry that arrives exactly at the end is late, and one that arrives a millisecond before is not', () => {
    expect(choose('2027-01-31T23:59:59.999Z')).toBe('main')
    expect(() => choose('2027-02-01T00:00Z')).toThrow(
      '"cup" ended on 2027-02-01 01:00:00 (Europe/Berlin), and the entry arrived on 2027-02-01 01:00:00 (Europe/Berlin). It is too late.',
    )
  })

  it('if several phases are open, the entry names one of them', () => {
    expect(() => choose('2027-01-09T12:00Z')).toThrow('write phase: warm or phase: main')
    expect(choose('2027-01-09T12:00Z', 'main')).toBe('main')
  })

  it('an entry before the start learns when the next phase starts', () => {
    expect(() => choose('2026-12-01T00:00Z')).toThrow(
      'The phase "warm" starts on 2027-01-01 01:00:00 (Europe/Berlin)',
    )
    expect(() => choose('2027-01-02T00:00Z', 'main')).toThrow(
      'The phase "main" of "cup" starts on 2027-01-09',
    )
  })

  it('a phase that takes late entries gets those that name it, and those that name none if no other is open', () => {
    const late = phase('warm', '2027-01-01T00:00Z', '2027-01-10T00:00Z', undefined, '2027-01-12T00:00Z')
    expect(choose('2027-01-11T00:00Z', 'warm', [late, main])).toBe('warm')
    expect(choose('2027-01-11T00:00Z', null, [late, main])).toBe('main')
    expect(choose('2027-01-11T00:00Z', null, [late])).toBe('warm')
    expect(() => choose('2027-01-12T00:00Z', 'warm', [late, main])).toThrow(
      'ended on 2027-01-10 01:00:00 (Europe/Berlin) and took late entries until 2027-01-12 01:00:00 (Europe/Berlin)',
    )
  })

  it('a phase whose end is extended for the team is open for it', () => {
    const extended = phase('warm', '2027-01-01T00:00Z', '2027-01-10T00:00Z', '2027-01-12T00:00Z')
    expect(() => choose('2027-01-11T00:00Z', null, [extended, main])).toThrow('are open: write phase: warm')
    expect(() => choose('2027-01-11T00:00Z', null, [extended, { ...extended, key: 'b' }])).toThrow('are open')
  })

  it('an entry for a phase that ended or does not exist learns that', () => {
    expect(() => choose('2027-01-20T00:00Z', 'warm')).toThrow('The phase "warm" of "cup" ended on 2027-01-10')
    expect(() => choose('2027-01-20T00:00Z', 'final')).toThrow('"cup" has no phase "final": use warm or main')
  })
})
