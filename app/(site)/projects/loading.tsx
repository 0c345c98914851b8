import { ListSkeleton } from '@/components/shell/list-skeleton'

export default function ProjectsLoading() {
  return <ListSkeleton />
}
