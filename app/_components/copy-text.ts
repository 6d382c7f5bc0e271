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
    const textarea = document.createElement('textarea')
    textarea.value = text
    textarea.style.position = 'fixed'
    textarea.style.opacity = '0'
    document.body.append(textarea)
    textarea.select()
    const isCopied = document.execCommand('copy')
    textarea.remove()
    return isCopied
  }
}
