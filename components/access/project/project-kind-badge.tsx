import type { Project } from '@/lib/contract/access/projects'
import { Badge } from '../../ui/badge'

/** Marks a team or a class. A private project has no mark. */
export function ProjectKindBadge({ kind }: Pick<Project, 'kind'>) {
  return kind === 'private' ? null : <Badge tone="accent">{kind}</Badge>
}
