import { findRow, type Transaction } from '../../transaction'

/** Statements with one fault each, and some without, which the test of all statements must tell apart. */

const columns = (alias: string) => ['id', 'handle'].map((name) => `${alias}.${name}`).join(', ')

interface Named {
  id: string
  handle: string
}

export const right = (tx: Transaction, isAdmin: boolean) =>
  findRow<Named>(
    tx,
    `SELECT ${columns('u')} FROM users u WHERE ${isAdmin ? 'true' : 'u.id = $1'}`,
    isAdmin ? [] : ['x'],
  )

export const onlySometimesRight = (tx: Transaction, isAdmin: boolean) =>
  tx.query<Named>(`SELECT ${columns('u')} FROM users u WHERE ${isAdmin ? 'u.no_such_column' : 'true'}`)

export const missing = (tx: Transaction) => findRow<Named>(tx, { text: 'SELECT id FROM users' })

export const superfluous = (tx: Transaction) =>
  findRow<Named>(tx, `SELECT ${columns('u')}, role FROM users u`)

export const otherType = (tx: Transaction) => tx.query<{ id: number }>('SELECT id FROM users')

export const enumsAsList = (tx: Transaction) =>
  tx.query<{ roles: string[] }>('SELECT array_agg(role) AS roles FROM users')

export const fewerValues = (tx: Transaction) => tx.query<{ role: 'admin' }>('SELECT role FROM users')

export const nullable = (tx: Transaction) => tx.query<{ email: string }>('SELECT email FROM users')

export const untyped = (tx: Transaction) => tx.query('SELECT id FROM users')

export const unread = (tx: Transaction) => tx.query('SELECT 1 FROM users FOR UPDATE')
