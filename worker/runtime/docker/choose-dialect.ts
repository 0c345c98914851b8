import { PodmanDialect } from '../podman/podman-dialect'
import { type DockerRequests, dockerDialect, type EngineDialect } from './engine-dialect'
import { engineVersionSchema, isPodman } from './engine-warnings'

/**
 * Returns the dialect of an engine.
 * @param version the response to `GET /version`.
 * @param directory for files that the engine reads; see {@link PodmanDialect}.
 */
export function chooseDialect(
  version: unknown,
  requests: DockerRequests,
  directory: string | undefined,
): EngineDialect {
  if (!isPodman(engineVersionSchema.parse(version))) return dockerDialect(requests)
  return new PodmanDialect({ call: requests.call, directory })
}
