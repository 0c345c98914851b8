import { describe, expect, it } from 'vitest'
import { checkRow } from './check-row'
import { importTemplate } from './contract-import-file'
import { parseUserCsv } from './parse-user-csv'

describe('a file of users', () => {
  it('is read as spreadsheets write it', () => {
    const cells = { user_id: 'ada', name: 'Lovelace; Ada', email: 'ada@example.org' }
    for (const file of [
      'user_id,name,email\nada,Lovelace; Ada,ada@example.org\n',
      '\uFEFFuser_id;name;email\r\nada;"Lovelace; Ada";ada@example.org\r\n',
      'User_ID\tName\tE-Mail\rada\tLovelace; Ada\t ada@example.org \r',
      '\n\nhandle,"Full name",mail\n\n"ada","Lovelace; Ada",ada@example.org',
    ]) {
      const { rows, problems } = parseUserCsv(file)
      expect(problems).toEqual([])
      expect(rows.map((row) => row.cells)).toEqual([cells])
    }
    expect(parseUserCsv(importTemplate)).toMatchObject({ problems: [], rows: [{ line: 2 }] })
  })

  it('has the lines of its rows, also after cells with several lines', () => {
    const { rows } = parseUserCsv('user_id,name\r\nada,"Ada\r\nLovelace"\r\n\r\nbob,Bob\r\n')
    expect(rows.map(({ line }) => line)).toEqual([2, 5])
  })

  it.each([
    ['', 1, /empty/],
    ['\n \n', 1, /empty/],
    ['name,role\nAda,admin', 1, /needs the column user_id or email/],
    ['user_id,rolle\nada,admin', 1, /no column “rolle”. The columns are user_id/],
    ['user_id,handle\nada,ada', 1, /twice/],
    ['user_id\nada,bob', 2, /2 cells, and the header has 1/],
    ['user_id,name\nada,"Ada', 2, /not closed/],
    [`user_id\n${'x\n'.repeat(10_001)}`, 10_002, /more than 10000 users/],
  ])('says what is wrong: %#', (file, line, message) => {
    expect(parseUserCsv(file).problems[0]).toMatchObject({ line, message: expect.stringMatching(message) })
  })

  it('has few messages about a long header, and is not read beyond the number of users', () => {
    expect(parseUserCsv(','.repeat(1_000_000)).problems.length).toBeLessThan(10)
    expect(parseUserCsv(`user_id\n${'x\n'.repeat(100_000)}`)).toMatchObject({
      rows: [],
      problems: [{ line: 10_002, message: expect.stringMatching(/Divide it/) }],
    })
  })

  it('a file of users with one huge line, or with a million separators or quotes, has an answer', () => {
    for (const text of [
      'x'.repeat(4_000_000),
      ','.repeat(1_000_000),
      '"'.repeat(1_000_001),
      '\n'.repeat(1_000_000),
    ])
      expect(
        parseUserCsv(`user_id,name\n${text}`).problems.length + parseUserCsv(text).problems.length,
      ).toBeGreaterThan(0)
  })
})

describe('a row', () => {
  const check = (cells: object) => checkRow({ line: 7, cells })
  const problem = (cells: object) => {
    const checked = check(cells)
    return 'problems' in checked ? checked.problems : []
  }

  it('takes the user id from the e-mail address if it has none', () => {
    expect(check({ email: 'Ada.L+class@example.org' })).toMatchObject({ row: { user_id: 'Ada.L-class' } })
    expect(problem({ email: '++@example.org' })).toMatchObject([
      { column: 'user_id', message: expect.stringMatching(/column user_id/) },
    ])
  })

  it.each([
    [{ user_id: 'a b' }, 'user_id', /“a b”: use 1 to 64/],
    [{ user_id: 'me' }, 'user_id', /reserved/],
    [{ user_id: 'a', email: 'nobody' }, 'email', /“nobody”: is not an e-mail address/],
    [{ user_id: 'a', name: 'x'.repeat(101) }, 'name', /100/],
    [{ user_id: 'a', name: 'a\u202Eb' }, 'name', /./],
    [{ user_id: 'a', role: 'boss' }, 'role', /researcher or admin/],
    [{ user_id: 'a', max_priority: '1e3' }, 'max_priority', /whole number/],
    [{ user_id: 'a', max_priority: '101' }, 'max_priority', /./],
    [{ user_id: 'a', max_active_jobs: '-1' }, 'max_active_jobs', /./],
    [{}, null, /neither/],
  ])('says what is wrong: %#', (cells, column, message) => {
    const [found] = problem(cells)
    expect(found).toMatchObject({ line: 7, column, message: expect.stringMatching(message) })
    expect(found?.message.length).toBeLessThan(200)
  })
})
