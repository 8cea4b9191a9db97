// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "react";

/** An element and its inner width, updated on resize. The first value is the element's `ref`. */
export function useWidth<E extends HTMLElement>(): readonly [(element: E | null) => void, E | null, number] {
  const [element, setElement] = useState<E | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, element, width];
}
