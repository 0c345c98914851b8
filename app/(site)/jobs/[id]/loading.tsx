export { JobSkeleton as default } from '@/components/jobs/detail/job-skeleton'
