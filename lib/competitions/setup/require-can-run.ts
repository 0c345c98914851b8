import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../access/actor'
import { findEnvironment } from '../../access/environments'
import { configSchema } from '../../contract/config/schema'
import { GpuqError, invalidField } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { findObstacle } from '../../jobs/submission/never-fits'
import type { CompetitionConfig, PhaseConfig, ScorerConfig } from '../contract-config'

type Resources = PhaseConfig['run'] | Pick<ScorerConfig, 'environment' | 'gpu_count' | 'max_time'>

/**
 * Checks what the file asks for entries and scoring programs, as far as it differs from before: nodes and environments may have gone
 * meanwhile, which must not prevent a change of a text.
 * @throws 422 for an unknown environment, or what no node has.
 */
export async function requireCanRun(
  tx: Transaction,
  actor: Actor,
  { slug, scorer, phases }: CompetitionConfig,
  before: CompetitionConfig | null,
): Promise<void> {
  const resourcesOf = ({ environment, gpu_count, max_time }: ScorerConfig): Resources => ({
    ...(environment !== undefined && { environment }),
    gpu_count,
    max_time,
  })
  const asked: { path: string; now: Resources; before: Resources | undefined }[] = [
    { path: 'scorer', now: resourcesOf(scorer), before: before ? resourcesOf(before.scorer) : undefined },
    ...phases.map(({ key, run }, index) => ({
      path: `phases.${index}.run`,
      now: run,
      before: before?.phases.find((phase) => phase.key === key)?.run,
    })),
  ]
  for (const { path, now, before: earlier } of asked) {
    if (isDeepStrictEqual(now, earlier)) continue
    await findEnvironment(now.environment ?? null, tx).catch((error: unknown) => {
      const [wrong] = error instanceof GpuqError ? (error.errors ?? []) : []
      throw wrong ? invalidField(`${path}.environment`, wrong.message) : error
    })
    const common = { competition_id: slug, project_id: slug, expected_time: now.max_time }
    const config = configSchema.parse({ ...common, ...now })
    const obstacle = await findObstacle(tx, { userId: actor.userId, restriction: null }, config)
    if (obstacle) throw invalidField(path, obstacle.message)
  }
}
