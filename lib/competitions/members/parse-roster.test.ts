import { describe, expect, it } from 'vitest'
import { maxRosterLines } from '../contract-limits'
import { decodeText } from './decode-text'
import { parseRoster } from './parse-roster'

const jose = { email: 'jose@example.org', name: 'José Müller', section: 'A' }

describe('the file of a roster', () => {
  it.each([
    ['with commas', 'email,name,section\njose@example.org,José Müller,A\n'],
    [
      'with semicolons and a byte order mark',
      '\uFEFFemail;name;section\r\njose@example.org;José Müller;A\r\n',
    ],
    ['with tabs and another order', 'Section\tE-Mail\tName\rA\tjose@example.org\tJosé Müller\r'],
    [
      'with quotes, spaces and capitals',
      '\n"Email","Full name","Group"\n" JOSE@Example.org ","José Müller",A',
    ],
  ])('is read %s', async (_, file) => {
    expect(await parseRoster(file)).toEqual({ people: [jose], problems: [], hints: [], hasSections: true })
  })

  it('with other columns is read without them, and says so', async () => {
    const { people, hints } = await parseRoster(
      `student number,email,grade,,name,${'x,'.repeat(8)}\n1,jose@example.org,2,,José Müller`,
    )
    expect(people).toEqual([{ ...jose, section: null }])
    expect(hints).toEqual([
      'These columns were left out: student number, grade, x, x, x and 5 more. A roster has email, name and section.',
    ])
  })

  it.each([
    ['', 1, /empty/],
    ['jose@example.org,José', 1, /must name the columns/],
    ['name,section\nJosé,A', 1, /no column email/],
    ['email,mail\na@b.org,a@b.org', 1, /twice/],
    ['email\nnobody', 2, /“nobody”: is not an e-mail address/],
    ['email,name\n\n,José', 3, /no email/],
    ['email\na@b.org,c', 2, /2 cells/],
    ['email,name\na@b.org,"José', 2, /not closed/],
    ['email\na@b.org\nb@b.org\nA@B.org', 4, /“a@b.org” is in line 2 already/],
    [`email,name\na@b.org,${'x'.repeat(101)}`, 2, /at most 100/],
    [`email,section\na@b.org,${'x'.repeat(61)}`, 2, /at most 60/],
    ['email,name\na@b.org,a\u202Eb', 2, /control characters/],
    ['email,name\na@b.org,a\0b', 2, /control characters/],
  ])('says which line is wrong, and why: %#', async (file, line, message) => {
    expect((await parseRoster(file)).problems).toEqual([{ line, message: expect.stringMatching(message) }])
  })

  it('has a largest number of people, and each of their problems', async () => {
    const rows = (count: number) =>
      `email\n${Array.from({ length: count }, (_, n) => `user-${n}@example.org`).join('\n')}`
    expect(await parseRoster(rows(maxRosterLines))).toMatchObject({
      problems: [],
      people: { length: maxRosterLines },
    })
    expect(await parseRoster(rows(maxRosterLines + 1))).toMatchObject({
      people: [],
      problems: [{ line: maxRosterLines + 2, message: expect.stringContaining('more than 100000') }],
    })
    expect((await parseRoster(`email\n${'x\n'.repeat(500)}`)).problems).toHaveLength(500)
  })
})

describe('the bytes of a text file', () => {
  const text = 'email,name\njose@example.org,José Müller\n'
  const utf16 = Buffer.from(text, 'utf16le')
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 without one', utf16],
    ['UTF-16 with the higher byte first', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['UTF-16 with the higher byte first, without a mark', Buffer.from(utf16).swap16()],
  ])('are read as %s', (_, bytes) => {
    expect(decodeText(bytes)).toEqual({ text, hint: null })
  })

  it('are read as Latin-1 if they are nothing else, with a hint', () => {
    expect(decodeText(Buffer.from(text, 'latin1'))).toEqual({
      text,
      hint: expect.stringContaining('Latin-1'),
    })
  })

  it('of no text at all are read too', () => {
    expect(decodeText(Buffer.alloc(0))).toEqual({ text: '', hint: null })
  })
})
