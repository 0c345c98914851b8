import type pg from 'pg'

/** A column of a statement's result. */
export interface Column {
  name: string
  tableID: number
  columnID: number
  dataTypeID: number
}

/** Asks PostgreSQL to plan a statement with unknown values, without running it. */
export function describeStatement(client: pg.Client, text: string): Promise<Column[]> {
  return new Promise((resolve, reject) => {
    let columns: Column[] = []
    client.query({
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: ({ fields }: { fields: Column[] }) => {
        columns = fields
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    } as unknown as pg.Submittable)
  })
}
