import { type Actor, requireAdmin } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { type ModelTable, modelTableSchema } from '../../contract/cluster/policy'
import { database } from '../../database/client'
import { oneRow, type Transaction, transaction } from '../../database/transaction'

/** Reads the GPUs that each model needs, by name. */
export async function readModels(executor: Transaction = database().pool): Promise<ModelTable> {
  const row = await oneRow<{ fallback: number; models: { name: string; milli: number }[] }>(
    executor,
    `SELECT default_requirement_milli AS fallback,
            (SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'milli', milli) ORDER BY lower(name)), '[]')
               FROM model_requirements) AS models
       FROM policies`,
  )
  return modelTableSchema.parse({
    default_requirement: row.fallback / 1000,
    models: Object.fromEntries(row.models.map(({ name, milli }) => [name, milli / 1000])),
  })
}

/** Replaces the table. Jobs that were submitted earlier keep their GPUs. */
export async function replaceModels(actor: Actor, table: ModelTable): Promise<ModelTable> {
  requireAdmin(actor)
  const entries = Object.entries(table.models)
  return transaction(async (tx) => {
    // Locks the policy's row, so that concurrent replacements cannot mix their rows.
    await tx.query('UPDATE policies SET default_requirement_milli = $1, updated_at = now()', [
      toMilli(table.default_requirement),
    ])
    await tx.query('DELETE FROM model_requirements')
    await tx.query(
      'INSERT INTO model_requirements (name, milli) SELECT * FROM unnest($1::text[], $2::int[])',
      [entries.map(([name]) => name), entries.map(([, gpus]) => toMilli(gpus))],
    )
    const detail = { default_requirement: table.default_requirement, models: entries.length }
    await recordAudit(tx, { actorId: actor.userId, action: 'models_replaced', target: null, detail })
    return readModels(tx)
  })
}

const toMilli = (gpus: number) => Math.round(gpus * 1000)

/**
 * Returns how many thousandths of a GPU the most demanding of these models needs. Ignores letter case; an unknown model
 * needs the default.
 */
export async function resolveModels(
  names: readonly string[],
  executor: Transaction = database().pool,
): Promise<number> {
  const { milli } = await oneRow<{ milli: number }>(executor, {
    name: 'resolve-models',
    text: `SELECT max(coalesce(m.milli, p.default_requirement_milli))::int AS milli
             FROM policies p CROSS JOIN unnest($1::text[]) AS wanted (name)
             LEFT JOIN model_requirements m ON lower(m.name) = lower(wanted.name)`,
    values: [names],
  })
  return milli
}
