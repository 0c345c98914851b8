import { expect, it } from 'vitest'
import { whyNoEntry } from './find-target'

const joined = {
  slug: 'cup',
  published: true,
  join: 'open',
  role: 'participant',
  state: 'joined',
  teamId: '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e63',
} as const
const outside = { ...joined, role: null, state: null, teamId: null }

it('participants in a team and the staff of a published competition send entries', () => {
  expect(whyNoEntry(joined, false)).toBeNull()
  expect(whyNoEntry({ ...joined, role: 'ta', teamId: null }, false)).toBeNull()
})

it.each([
  [
    outside,
    false,
    'Join on the page /competitions/cup or with POST /api/competitions/cup/join, then submit again.',
  ],
  [{ ...outside, join: 'approve' } as const, false, 'Ask to join'],
  [{ ...outside, join: 'roster' } as const, false, 'Those on its roster join'],
  [{ ...joined, state: 'requested', teamId: null } as const, false, 'a host has not approved'],
  [{ ...joined, role: 'observer', teamId: null } as const, false, 'observers send no entries'],
  [{ ...joined, teamId: null }, false, 'you are in no team'],
  [joined, true, 'this token is restricted'],
  [{ ...joined, published: false }, false, 'not published'],
])(
  'a job of %j with restricted token %s is no entry, and the note says what to do',
  (member, restricted, note) => {
    expect(whyNoEntry(member, restricted)).toContain(note)
  },
)
