import assert from "node:assert/strict";
import { test } from "node:test";
import { addressLane, EVERY_ADDRESS, isAddressLane } from "./lane-name.ts";

test("an IPv4 address is a lane, however it is written; of IPv6 the network of 64 bits is", () => {
  const lanes = [
    ["203.0.113.7", "address:203.0.113.7"],
    ["::ffff:203.0.113.7", "address:203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "address:2001:db8:1:2::/64"],
    ["::1", "address:0:0:0:0::/64"],
    ["site.example", undefined],
  ] as const;
  for (const [address, lane] of lanes) {
    assert.equal(addressLane(address), lane, address);
    if (lane !== undefined) assert.ok(isAddressLane(lane), lane);
  }
  assert.ok(isAddressLane(EVERY_ADDRESS));
  for (const lane of ["address:80", "example.org", "address.example"]) assert.ok(!isAddressLane(lane), lane);
});
