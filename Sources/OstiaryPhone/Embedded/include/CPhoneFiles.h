// The files of the pages of phone and demonstration, as bytes: see CPageFiles.h.
#ifndef OSTIARY_CPHONEFILES_H
#define OSTIARY_CPHONEFILES_H

#include <stddef.h>

typedef struct __attribute__((swift_attr("@Sendable"))) {
    const unsigned char *start;
    size_t count;
} ostiary_phone_file __attribute__((swift_name("PhoneFile")));

#define OSTIARY_CPHONEFILES(ENTRY) \
    ENTRY(demo_css) ENTRY(demo_html) ENTRY(demo_js) ENTRY(protocol_css) ENTRY(line_js) ENTRY(lists_js) ENTRY(pad_js) ENTRY(phone_icon_svg) \
    ENTRY(phone_css) ENTRY(phone_html) ENTRY(phone_js) ENTRY(scan_js) ENTRY(screens_js)

#define OSTIARY_DECLARED(name) extern const ostiary_phone_file ostiary_phone_file_##name __attribute__((swift_name("PhoneFile." #name)));
OSTIARY_CPHONEFILES(OSTIARY_DECLARED)
#undef OSTIARY_DECLARED

#endif
