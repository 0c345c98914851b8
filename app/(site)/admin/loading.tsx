import { ListSkeleton } from '@/components/shell/list-skeleton'

export default function AdminLoading() {
  return <ListSkeleton />
}
