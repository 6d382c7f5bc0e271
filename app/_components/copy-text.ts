'use client'
/**
 * Copies text to the clipboard and returns whether it succeeded. Falls back to `execCommand`, because browsers expose the clipboard only in
 * secure contexts.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.style.position = 'fixed'
    area.style.opacity = '0'
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    return isCopied
  }
}
