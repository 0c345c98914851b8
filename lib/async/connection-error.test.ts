import { expect, it } from 'vitest'
import { connectionError, poolTimeout } from './connection-error'

const withCode = (code: string, message = 'it failed') => Object.assign(new Error(message), { code })

/** An error of PostgreSQL for which Prisma has no code of its own. */
const ofPrisma = (originalCode: string) =>
  Object.assign(withCode('P2039'), { meta: { driverAdapterError: { cause: { originalCode } } } })

it.each([
  ['a refused connection', withCode('ECONNREFUSED')],
  ['a database that shuts down', withCode('57P01')],
  ['a database that starts', withCode('57P03')],
  ['a database that allows no more connections', withCode('53300')],
  ['the same in Prisma', withCode('P2037')],
  ['a database that shuts down during a query of Prisma', ofPrisma('57P01')],
  ['a pool without a free connection', new Error(poolTimeout)],
])('knows %s as a connection error', (_, error) => {
  expect(connectionError(error)).toBe(error.message)
})

it.each([
  ['a violated constraint', withCode('23505')],
  ['a full disk of the database', withCode('53100')],
  ['the same in Prisma', ofPrisma('53100')],
  ['any other error', new Error('it failed')],
  ['no error', 'ECONNREFUSED'],
])('does not take %s for one', (_, error) => {
  expect(connectionError(error)).toBeNull()
})

it('has the last line of a message, because Prisma shows the calling code before it', () => {
  expect(connectionError(withCode('P1001', 'at line 1\ncannot reach the database'))).toBe(
    'cannot reach the database',
  )
})
