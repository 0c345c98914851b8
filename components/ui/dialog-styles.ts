/** The same z-index as the panel: a dialog that opens later also dims the dialog below it. */
export const dialogOverlay = 'fixed inset-0 z-50 animate-fade-in bg-scrim'

export const dialogPanel = [
  'fixed top-[max(1rem,12dvh)] left-1/2 z-50 flex max-h-[min(80dvh,52rem)] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col',
  'animate-fade-in overflow-hidden rounded-xl border bg-raised shadow-float outline-none',
].join(' ')
