// SPDX-License-Identifier: Apache-2.0
import { useNavigate, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { objectKey, parseObjectParams } from "./object-address.ts";
import { NoObject, ObjectPanel } from "./object-panel.tsx";

/** One object beside the feed of changes. */
export function ObjectBesideChanges(): ReactNode {
  const address = parseObjectParams(useParams({ from: "/frame/changes/objects/$name/$resource/$" }));
  const navigate = useNavigate();
  if (address === undefined) return <NoObject />;
  const close = (): void => {
    void navigate({ to: "/changes", search: (before) => before, state: { leftObject: objectKey(address) } });
  };
  return <ObjectPanel key={objectKey(address)} address={address} onClose={close} />;
}
