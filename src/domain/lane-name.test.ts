import assert from "node:assert/strict";
import { test } from "node:test";
import { getDomain } from "tldts";
import { addressLane, EVERY_ADDRESS, isAddressLane, laneName } from "./lane-name.ts";

const laneFor = (url: string) => laneName(new URL(url), (host) => getDomain(host));

test("hosts of one registrable domain share a lane, whatever the port and the scheme", () => {
  for (const url of [
    "https://example.co.uk/",
    "https://tax.example.co.uk/a",
    "http://WWW.Example.co.uk:8080/",
    "https://example.co.uk./",
  ]) {
    assert.equal(laneFor(url), "example.co.uk");
  }
  assert.notEqual(laneFor("https://other.co.uk/"), "example.co.uk");
});

test("an internationalised domain has one lane in both spellings", () => {
  assert.equal(laneFor("https://www.bücher.de/"), laneFor("https://xn--bcher-kva.de/"));
});

test("IP addresses and single-label hosts are a lane for each port", () => {
  assert.equal(laneFor("http://127.0.0.1:8080/"), "127.0.0.1:8080");
  assert.equal(laneFor("http://2130706433:8080/"), "127.0.0.1:8080");
  assert.equal(laneFor("http://127.0.0.2/"), "127.0.0.2:80");
  assert.equal(laneFor("https://[::1]/"), "[::1]:443");
  assert.equal(laneFor("http://localhost:3000/"), "localhost:3000");
  assert.equal(laneFor("http://localhost:3001/"), "localhost:3001");
});

test("a host that is itself a public suffix is its own lane", () => {
  assert.equal(laneFor("https://co.uk/"), "co.uk");
});

test("an IPv4 address is a lane, however it is written; of IPv6 the network of 64 bits is", () => {
  const lanes = [
    ["203.0.113.7", "address:203.0.113.7"],
    ["::ffff:203.0.113.7", "address:203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "address:2001:db8:1:2::/64"],
    ["::1", "address:0:0:0:0::/64"],
    ["site.example", undefined],
  ] as const;
  for (const [address, expected] of lanes) {
    assert.equal(addressLane(address), expected, address);
    if (expected !== undefined) assert.ok(isAddressLane(expected), expected);
  }
  assert.ok(isAddressLane(EVERY_ADDRESS));
  for (const other of ["address:80", "example.org", "address.example"])
    assert.ok(!isAddressLane(other), other);
});
