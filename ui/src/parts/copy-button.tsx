// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useState } from "react";

/** Copies a text and shows whether that worked. Give it a key per text, so that the result refers to that text. */
export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [word, setWord] = useState("Copy");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setWord("Copied");
    } catch {
      setWord("The browser denied access to the clipboard: select the text and copy it");
    }
  };
  return (
    <button type="button" onClick={() => void copy()} aria-live="polite">
      {word}
    </button>
  );
}
