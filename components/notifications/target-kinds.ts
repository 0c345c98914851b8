import type { TargetKind } from '@/lib/notifications/contract'

/** How the kinds of targets are shown. */
export const targetKindLabels = {
  webhook: 'Webhook',
  email: 'E-mail',
  slack: 'Slack',
  discord: 'Discord',
  matrix: 'Matrix',
} as const satisfies Record<TargetKind, string>
