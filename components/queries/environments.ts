import type { UpdateEnvironment } from '@/lib/contract/access/environments'
import { api, changing, keys } from './queries'

export const createEnvironment = changing(api.environments.create, keys.environments)
export const updateEnvironment = changing(
  ({ name, ...body }: UpdateEnvironment & { name: string }) => api.environments.update(name, body),
  keys.environments,
)
