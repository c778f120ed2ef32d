#!/bin/sh
# The first process of the board in a box: the root file system is read-only, results go to the
# third disk as a tar archive, and the machine turns itself off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
# What LMBench's own configuration sets: without it each of its programs first measures the clock.
export ENOUGH=100000 TIMING_O=0 LOOP_O=0
mount -t proc proc /proc
mount -t sysfs sys /sys
for folder in /tmp /run /dev/shm; do
    mkdir -p "$folder" 2>/dev/null
    mount -t tmpfs tmpfs "$folder"
done
for module in $(cat /etc/modules); do
    modprobe "$module" || echo "box: no module $module"
done
# Where there is a NAND flash, it carries UBIFS. A folder that is none would be measured in its place.
if [ -e /dev/mtd0 ]; then
    mkdir /run/ubifs
    { ubiattach -p /dev/mtd0 && ubimkvol /dev/ubi0 -N data -m && mount -t ubifs ubi0:data /run/ubifs; } ||
        rmdir /run/ubifs
fi
ip link set lo up
hostname box
mkdir /run/box
tar -xf /dev/vdb -C /run/box
cd /run/box || exit 1
export PATH=/run/box/add/bin:$PATH
# What is printed is seen at once, on the console of the host.
{ sh ./job.sh 2>&1; echo "box: the runner ended with $?"; } | tee console.txt
uname -a >kernel.txt
grep . /proc/crypto >crypto.txt
tar -cf /dev/vdc console.txt kernel.txt crypto.txt out
sync
busybox poweroff -f
