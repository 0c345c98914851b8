import { ListSkeleton } from '@/components/shell/list-skeleton'

export default function JobsLoading() {
  return <ListSkeleton toolbar rows={10} />
}
